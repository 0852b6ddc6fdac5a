"""Reserving, extending, settling, releasing and sweeping: the effect on an account."""

from dataclasses import replace

import pytest
from sqlalchemy import update
from sqlalchemy.exc import IntegrityError

from service.billing import ledger
from service.billing.models import Account, Entry, Hold
from service.billing.payer import Payer
from service.billing.units import CREDIT
from service.web.errors import InsufficientCredits
from tests.billing.books import ALICE, limited


@pytest.fixture(autouse=True)
def _alice_has_100_credits(books):
    books.open("alice", 100)


def test_a_new_account_is_granted_its_credits_once(books):
    books.open("alice", 100)
    [entry] = books.rows(Entry)
    assert (entry.kind, entry.amount, entry.ref) == ("grant", 100 * CREDIT, "starting")
    assert books.has() == (100, 0)


def test_an_account_may_start_with_nothing(books):
    books.open("bob", 0)
    assert books.has("bob") == (0, 0)
    assert books.rows(Entry, account="bob") == []


def test_a_grant_counts_once_for_each_ref(books):
    granted = [books.do(ledger.grant, "alice", 5 * CREDIT, ref) for ref in ("a", "b", "a")]
    assert granted == [True, True, False]
    assert books.has() == (110, 0)


def test_a_hold_takes_no_more_than_the_free_balance(books):
    books.reserve(60, "a")
    with pytest.raises(InsufficientCredits) as refused:
        books.reserve(40.5, "b")
    assert refused.value.facts == {"needed": 40.5, "available": 40}
    books.reserve(40, "b")
    assert books.has() == (100, 100)


@pytest.mark.parametrize(
    "payer", [limited(10), replace(ALICE, budget=10 * CREDIT)], ids=["token", "budget"]
)
def test_a_smaller_hold_can_be_tried_right_after_a_refused_one(books, payer):
    def hold(session):
        with pytest.raises(InsufficientCredits):
            ledger.reserve(session, payer, 11 * CREDIT, "a", None, 60)
        return ledger.reserve(session, payer, 10 * CREDIT, "a", None, 60)

    books.do(hold)
    assert books.has() == (100, 10)


def test_a_refusal_does_not_show_the_owners_balance(books):
    with pytest.raises(InsufficientCredits) as refused:
        books.do(ledger.reserve, Payer("alice", is_owner=True), 101 * CREDIT, "a", None, 60)
    assert refused.value.facts == {"needed": 101}


def test_a_subject_without_an_account_has_no_credits(books):
    with pytest.raises(InsufficientCredits) as refused:
        books.do(ledger.reserve, Payer("bob", is_owner=False), 1, "a", None, 60)
    assert refused.value.facts == {"needed": 0.000001, "available": 0}


def test_settling_charges_the_real_cost_and_frees_the_rest(books):
    hold = books.reserve(10, "turn_1")
    assert books.settle(hold, 2.5) == 2.5
    assert books.has() == (97.5, 0)
    entry = books.rows(Entry)[-1]
    assert (entry.kind, entry.amount) == ("charge", -2_500_000)
    assert (entry.what, entry.ref, entry.facts) == ("gen-5.4", "turn_1", {"usage": 1})


def test_a_cost_above_the_hold_is_charged_to_the_free_balance(books):
    hold = books.reserve(10, "a")
    assert books.settle(hold, 12) == 12
    assert books.has() == (88, 0)
    assert books.rows(Entry)[-1].facts == {"usage": 1}


def test_a_cost_above_the_free_balance_is_a_loss(books, capsys):
    hold = books.reserve(10, "a")
    books.reserve(85, "b")
    assert books.settle(hold, 18) == 15
    assert books.has() == (85, 85)
    assert books.rows(Entry)[-1].facts == {"usage": 1, "loss": 3 * CREDIT}
    assert '"event": "loss"' in capsys.readouterr().err


def test_a_hold_is_settled_once(books):
    hold = books.reserve(10, "a")
    assert [books.settle(hold, cost) for cost in (3, 3, 8)] == [3, 0, 0]
    books.free(hold)
    assert books.has() == (97, 0)
    assert books.charges() == [-3]


def test_a_cost_of_zero_adds_no_entry(books):
    hold = books.reserve(10, "a")
    assert books.settle(hold, 0) == 0
    assert books.has() == (100, 0)
    assert books.charges() == []
    assert books.rows(Hold)[0].state == "released"


def test_a_released_hold_is_never_charged(books):
    hold = books.reserve(10, "a")
    books.free(hold)
    assert books.settle(hold, 5) == 0
    assert books.has() == (100, 0)


def test_a_hold_grows_and_shrinks(books):
    hold = books.reserve(10, "a")
    assert books.do(ledger.extend, hold, CREDIT, 30 * CREDIT)
    assert books.has() == (100, 30)
    assert books.do(ledger.extend, hold, 2 * CREDIT, 5 * CREDIT)
    assert books.has() == (100, 5)
    assert books.settle(hold, 3) == 3


def test_an_extension_that_cannot_be_afforded_only_records_the_use(books):
    hold, other = books.reserve(10, "a"), books.reserve(80, "b")
    assert not books.do(ledger.extend, hold, 7 * CREDIT, 21 * CREDIT)
    assert books.has() == (100, 90)
    [row] = books.rows(Hold, hold_id=hold)
    assert (row.used, row.amount) == (7 * CREDIT, 10 * CREDIT)
    books.free(other)
    assert books.do(ledger.extend, hold, 7 * CREDIT, 21 * CREDIT)


def test_a_closed_hold_is_not_extended(books):
    hold = books.reserve(10, "a")
    books.settle(hold, 1)
    with pytest.raises(ledger.HoldLost):
        books.do(ledger.extend, hold, 2 * CREDIT, 20 * CREDIT)
    assert books.rows(Hold)[0].used == 0
    assert books.has() == (99, 0)


def test_a_hold_belongs_to_its_callers_transaction(books):
    hold = books.reserve(10, "a")

    def settle_and_fail(session):
        ledger.settle(session, hold, 4 * CREDIT, "gen-5.4", {})
        raise RuntimeError

    with pytest.raises(RuntimeError):
        books.do(settle_and_fail)
    assert books.has() == (100, 10)
    assert books.settle(hold, 4) == 4


def test_a_ref_has_one_hold(books):
    books.settle(books.reserve(10, "a"), 1)
    with pytest.raises(IntegrityError):
        books.reserve(10, "a")
    assert books.has() == (99, 0)


def test_a_sweep_charges_what_was_used_and_frees_the_rest(books):
    hold = books.reserve(10, "turn_1", seconds=-1)
    books.do(ledger.extend, hold, 3 * CREDIT, 12 * CREDIT)
    books.reserve(20, "turn_2", seconds=-1)
    assert books.sweep() == 2
    assert books.has() == (97, 0)
    assert books.charges() == [-3]
    assert books.rows(Entry)[-1].facts == {"swept": True}


def test_a_sweep_charges_no_more_than_the_account_has(books):
    books.reserve(85, "b")
    hold = books.reserve(10, "a", seconds=-1)
    assert not books.do(ledger.extend, hold, 17 * CREDIT, 200 * CREDIT)
    books.sweep()
    assert books.has() == (85, 85)
    assert books.rows(Entry)[-1].facts == {"swept": True, "loss": 2 * CREDIT}


def swept_hold(books, used):
    """Return a hold of 10 credits that was swept and charged for its use."""
    hold = books.reserve(10, "a", seconds=-1)
    books.do(ledger.extend, hold, int(used * CREDIT), 10 * CREDIT)
    assert books.sweep() == 1
    return hold


def test_a_swept_hold_that_is_settled_late_is_charged(books):
    hold = swept_hold(books, 0)
    assert [books.settle(hold, 12), books.settle(hold, 12)] == [12, 0]
    assert books.has() == (88, 0)
    assert books.charges() == [-12]
    assert books.rows(Hold)[0].state == "settled"


def test_a_late_settlement_charges_what_the_sweeper_did_not(books):
    hold = swept_hold(books, 3)
    assert [books.settle(hold, 9), books.settle(hold, 9)] == [9, 0]
    assert books.has() == (91, 0)
    kinds = [(entry.kind, entry.amount, entry.ref) for entry in books.rows(Entry)[1:]]
    assert kinds == [("charge", -3 * CREDIT, "a"), ("rest", -6 * CREDIT, "a")]


def test_a_swept_hold_is_charged_no_more_than_the_account_has(books):
    hold = swept_hold(books, 3)
    books.reserve(95, "b")
    assert books.settle(hold, 9) == 5
    assert books.has() == (95, 95)
    assert books.rows(Entry)[-1].facts == {"usage": 1, "loss": 4 * CREDIT}


def test_a_late_settlement_without_further_cost_adds_no_entry(books):
    hold = swept_hold(books, 3)
    assert books.settle(hold, 3) == 3
    assert books.charges() == [-3]
    assert books.rows(Entry, kind="rest") == []


def test_extending_a_swept_hold_raises_hold_lost(books):
    hold = swept_hold(books, 0)
    with pytest.raises(ledger.HoldLost):
        books.do(ledger.extend, hold, CREDIT, 11 * CREDIT)
    assert books.has() == (100, 0)


def test_a_hold_can_be_withdrawn_by_its_ref(books):
    books.reserve(10, "a")
    for _ in range(2):
        books.do(ledger.withdraw, "alice", "a")
        books.do(ledger.withdraw, "alice", "never reserved")
    assert books.has() == (100, 0)
    assert books.rows(Hold)[0].state == "released"


def test_the_holds_of_an_ended_lease_are_swept(books):
    for ref, lease in [("a", "worker-1"), ("b", "worker-2"), ("c", None)]:
        books.reserve(10, ref, lease=lease)
    assert books.sweep(alive=("worker-1",)) == 1
    assert [hold.ref for hold in books.rows(Hold, state="open")] == ["a", "c"]


def test_an_expired_hold_is_swept_though_its_lease_runs(books):
    books.reserve(10, "a", seconds=5, lease="worker-1")
    assert books.sweep(later=60, alive=("worker-1",)) == 1


def test_a_sweep_locks_accounts_in_order(books):
    """Otherwise two sweepers could each wait for an account that the other has locked."""
    for subject in "cab":
        books.open(subject)
        hold = books.do(ledger.reserve, Payer(subject, is_owner=False), 9, "a", None, -1)
        books.do(ledger.extend, hold, 1, 9)
    books.sweep()
    assert [entry.account for entry in books.rows(Entry, kind="charge")] == ["a", "b", "c"]


def test_a_sweep_ends_one_batch(books):
    def reserve_all(session):
        for number in range(150):
            ledger.reserve(session, ALICE, CREDIT // 10, str(number), None, -1)

    books.do(reserve_all)
    assert [books.sweep() for _ in range(3)] == [100, 50, 0]
    assert books.has() == (100, 0)


def test_a_renamed_account_keeps_its_entries_and_holds(books):
    books.reserve(10, "a")
    rename = update(Account).where(Account.subject == "alice").values(subject="erased-1")
    books.do(lambda session: session.execute(rename))
    assert books.has("erased-1") == (100, 10)
    assert books.sums("erased-1") == (100 * CREDIT, 10 * CREDIT)


@pytest.mark.parametrize("wrong", [{"balance": -1}, {"held": -1}, {"held": 101 * CREDIT}])
def test_the_database_refuses_an_invalid_balance(books, wrong):
    with pytest.raises(IntegrityError):
        books.do(lambda session: session.execute(update(Account).values(wrong)))
