"""The limit of a limited token: what it may hold and spend, whatever its account has."""

import time

import pytest

from service.billing import allowances, ledger
from service.billing.models import Allowance
from service.billing.refunds import refund
from service.billing.units import CREDIT
from service.database.access import write_transaction
from service.times import now
from service.upkeep.sweeping import sweep
from service.web.errors import InsufficientCredits
from tests.billing.books import limited
from tests.services import on_sqlite


@pytest.fixture(autouse=True)
def _alice_and_bob_have_100_credits(books):
    books.open("alice", 100)
    books.open("bob", 100)


def spent(books) -> float:
    [allowance] = books.rows(Allowance)
    return allowance.spent / CREDIT


@on_sqlite
def test_holds_of_a_token_stay_within_its_limit(books):
    books.reserve(6, "a", payer=limited(10))
    with pytest.raises(InsufficientCredits) as refused:
        books.reserve(5, "b", payer=limited(10))
    assert refused.value.facts == {"needed": 5, "available": 4}
    assert refused.value.message == ledger.ALLOWANCE_SPENT
    books.reserve(4, "c", payer=limited(10))
    assert (spent(books), books.has()) == (10, (100, 10))


@on_sqlite
def test_a_token_that_may_spend_nothing_holds_nothing(books):
    with pytest.raises(InsufficientCredits):
        books.reserve(0.000001, "a", payer=limited(0))
    books.reserve(0, "b", payer=limited(0))
    assert books.has() == (100, 0)


@on_sqlite
def test_an_account_that_has_less_than_the_limit_decides(books):
    with pytest.raises(InsufficientCredits) as refused:
        books.reserve(101, "a", payer=limited(1000))
    assert refused.value.facts == {"needed": 101, "available": 100}
    assert books.rows(Allowance) == []


@on_sqlite
def test_a_cost_below_the_hold_gives_the_rest_back(books):
    hold = books.reserve(10, "a", payer=limited(10))
    books.settle(hold, 2.5)
    assert spent(books) == 2.5
    books.free(books.reserve(7.5, "b", payer=limited(10)))
    assert spent(books) == 2.5


@on_sqlite
def test_a_cost_above_the_hold_is_charged_up_to_the_limit(books):
    hold = books.reserve(8, "a", payer=limited(10))
    assert books.settle(hold, 12) == 10
    assert (spent(books), books.has()) == (10, (90, 0))


@on_sqlite
def test_a_hold_grows_up_to_the_limit(books):
    hold = books.reserve(4, "a", payer=limited(10))
    assert books.do(ledger.extend, hold, 0, 10 * CREDIT)
    assert not books.do(ledger.extend, hold, 0, 11 * CREDIT)
    assert (spent(books), books.has()) == (10, (100, 10))
    assert books.do(ledger.extend, hold, 0, 3 * CREDIT)
    assert spent(books) == 3


def test_a_swept_hold_is_charged_within_the_limit(books):
    hold = books.reserve(5, "a", seconds=-1, payer=limited(6))
    books.do(ledger.extend, hold, 2 * CREDIT, 5 * CREDIT)
    assert books.sweep() == 1
    assert spent(books) == 2
    assert books.settle(hold, 9) == 6
    assert (spent(books), books.has()) == (6, (94, 0))


@on_sqlite
def test_a_token_has_one_limit_for_all_accounts(books):
    """Its user pays for some calls, the app's owner for others."""
    books.reserve(6, "a", payer=limited(10))
    with pytest.raises(InsufficientCredits):
        books.reserve(6, "b", payer=limited(10, "bob"))
    books.reserve(4, "c", payer=limited(10, "bob"))
    assert (books.has("alice"), books.has("bob")) == ((100, 6), (100, 4))


@on_sqlite
def test_tokens_have_a_limit_each(books):
    books.reserve(10, "a", payer=limited(10))
    books.reserve(10, "b", payer=limited(10, token="another"))
    assert books.has() == (100, 20)


def test_a_refund_is_given_back_once(books):
    books.settle(books.reserve(5, "a", payer=limited(10)), 5)
    for _ in range(2):
        books.do(refund, "alice", 2 * CREDIT, "a", "x", "token", now().date())
    assert (spent(books), books.has()) == (3, (97, 0))
    books.do(allowances.spend, "token", 2 * CREDIT)  # for the check of the sums, which knows none


@on_sqlite
def test_without_its_row_a_token_spends_no_more_and_its_holds_end(books):
    hold = books.reserve(5, "a", payer=limited(10))
    with books.app.app_context(), write_transaction() as session:
        session.query(Allowance).delete()
    assert not books.do(ledger.extend, hold, 0, 6 * CREDIT)
    assert books.settle(hold, 7) == 5


def test_without_its_row_a_hold_of_a_token_may_still_shrink(books):
    hold = books.reserve(5, "a", payer=limited(10))
    with books.app.app_context(), write_transaction() as session:
        session.query(Allowance).delete()
    assert books.do(ledger.extend, hold, 0, 4 * CREDIT)
    assert books.has() == (100, 4)
    assert books.settle(hold, 4) == 4


@on_sqlite
def test_a_row_that_begins_anew_is_given_back_nothing_that_it_has_not_spent(books):
    hold = books.reserve(5, "a", payer=limited(10))
    with books.app.app_context(), write_transaction() as session:
        session.query(Allowance).delete()
    later = books.reserve(1, "b", payer=limited(10))
    assert books.settle(hold, 0) == 0
    assert spent(books) == 1
    books.settle(later, 0)
    assert spent(books) == 0


def test_rows_are_swept_a_day_after_their_tokens(books):
    now = time.time()
    for ended in (-60, allowances.KEPT_SECONDS - 60, allowances.KEPT_SECONDS + 60):
        limit = allowances.TokenLimit(f"{ended:.0f} s ago", "alice", CREDIT, now - ended)
        books.do(allowances.begin, limit)
    with books.app.app_context():
        sweep()
    assert {row.token_id for row in books.rows(Allowance)} == {"-60 s ago", "86340 s ago"}
