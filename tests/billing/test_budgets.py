"""`BUDGETS`: what a user may spend on one day, whoever asks at the same moment."""

from datetime import timedelta

import gevent
import pytest
from sqlalchemy import update

from service.app_keys import APP_SETTINGS
from service.billing import ledger
from service.billing.budgets import budget_of
from service.billing.models import Entry
from service.billing.payer import Payer
from service.billing.refunds import refund
from service.billing.units import CREDIT
from service.chat.turn.turn import TOO_FEW
from service.database.access import write_transaction
from service.times import now
from service.web.errors import InsufficientCredits
from tests import model_streams
from tests.billing.books import Books
from tests.people import person, text_of
from tests.services import on_sqlite, settings_for
from tests.upstream import Answer

IMAGE = ("/api/integrations/search-images", {"query": "red kites"})
BUDGET = Payer("alice", is_owner=False, budget=10 * CREDIT)


@pytest.fixture
def account(books) -> Books:
    books.open("alice", 100)
    return books


def a_day_later(books: Books) -> None:
    """As if everything had been charged a day earlier."""
    with books.app.app_context(), write_transaction() as session:
        session.execute(update(Entry).values(created_at=now() - timedelta(days=1)))


@on_sqlite
def test_holds_and_charges_of_the_day_count(account):
    account.settle(account.reserve(6, "a", payer=BUDGET), 5)
    hold = account.reserve(4, "b", payer=BUDGET)
    with pytest.raises(InsufficientCredits) as refused:
        account.reserve(2, "c", payer=BUDGET)
    facts = refused.value.facts
    assert (facts["needed"], facts["available"]) == (2, 1)
    assert facts["resetsAt"].endswith("T00:00:00.000000Z")
    account.settle(hold, 0)
    account.reserve(5, "d", payer=BUDGET)


@on_sqlite
def test_a_refusal_names_a_large_budget_to_its_last_digit(books):
    books.open("alice", 2_000_000)
    payer = Payer("alice", is_owner=False, budget=1_234_567 * CREDIT)
    with pytest.raises(InsufficientCredits, match="your budget of 1234567 credits a day"):
        books.reserve(1_234_568, "a", payer=payer)


@on_sqlite
def test_a_refusal_says_what_is_needed_and_left_and_not_that_all_is_spent(account):
    """A first hold may be more than a small budget, of which nothing is spent then."""
    account.settle(account.reserve(6, "a", payer=BUDGET), 5.5)
    account.settle(account.reserve(1, "b", payer=BUDGET), 4)
    for needed, words in ((1, "1 credit"), (7.25, "7.25 credits")):
        with pytest.raises(InsufficientCredits) as refused:
            account.reserve(needed, "c", payer=BUDGET)
        assert refused.value.message == (
            f"This may need {words}, and your budget of 10 credits a day has 0.5 left. "
            "It begins again at 00:00 UTC."
        )


def test_the_next_day_begins_with_the_whole_budget(account):
    account.settle(account.reserve(10, "a", payer=BUDGET), 10)
    with pytest.raises(InsufficientCredits):
        account.reserve(1, "b", payer=BUDGET)
    a_day_later(account)
    account.reserve(10, "c", payer=BUDGET)


@on_sqlite
def test_a_refund_gives_the_budget_back(account):
    account.settle(account.reserve(10, "a", payer=BUDGET), 10)
    account.do(refund, "alice", 4 * CREDIT, "a", "image", None, now().date())
    account.reserve(4, "b", payer=BUDGET)
    with pytest.raises(InsufficientCredits):
        account.reserve(1, "c", payer=BUDGET)


def test_a_refund_of_yesterdays_charge_raises_no_budget(account):
    account.settle(account.reserve(9, "a", payer=BUDGET), 9)
    a_day_later(account)
    account.settle(account.reserve(10, "b", payer=BUDGET), 10)
    yesterday = now().date() - timedelta(days=1)
    account.do(refund, "alice", 8 * CREDIT, "a", "image", None, yesterday)
    with pytest.raises(InsufficientCredits):
        account.reserve(1, "c", payer=BUDGET)


def test_a_hold_grows_within_the_budget_only(account):
    hold = account.reserve(5, "a", payer=BUDGET)
    assert account.do(ledger.extend, hold, CREDIT, 10 * CREDIT, BUDGET.budget)
    assert not account.do(ledger.extend, hold, CREDIT, 11 * CREDIT, BUDGET.budget)
    assert account.do(ledger.extend, hold, CREDIT, 11 * CREDIT)


def test_parallel_holds_never_pass_it_together(account):
    def hold(number: int) -> bool:
        try:
            account.reserve(1, f"turn-{number}", payer=BUDGET)
        except InsufficientCredits:
            return False
        return True

    holds = [gevent.spawn(hold, number) for number in range(25)]
    assert sum(one.get() for one in holds) == 10


@on_sqlite
@pytest.mark.settings(budgets="day=0.2,admin.day=0.5")
def test_calls_and_turns_end_at_the_budget_of_the_role(alice, admin, app):
    """A call of this endpoint costs 0.1 credits or more."""
    path, body = IMAGE
    spent = alice.get("/api/credits").json["budget"]
    assert (spent["credits"], spent["spent"], spent["held"]) == (0.2, 0, 0)
    fresh = {"Cache-Control": "no-cache"}
    while (answer := alice.post(path, body, headers=fresh)).status_code == 200:
        pass
    assert (answer.status_code, answer.json["error"]) == (402, "insufficient_credits")
    assert answer.json["resetsAt"] == spent["resetsAt"]
    refused = alice.ask(alice.new_chat(), "hello")
    assert (refused.status_code, "resetsAt" in refused.json) == (402, True)
    described = alice.get("/openapi.json").json["components"]["schemas"]["InsufficientCredits"]
    assert refused.json.keys() <= described["properties"].keys()
    assert admin.get("/api/credits").json["budget"]["credits"] == 0.5
    assert alice.get("/api/credits").json["budget"]["spent"] <= 0.2


@on_sqlite
@pytest.mark.settings(budgets="day=0.15", integrations_billing="websearch=developer")
def test_the_owner_has_no_budget_and_pays_for_anybody(app, client, alice):
    path, body = IMAGE
    fresh = {"Cache-Control": "no-cache"}
    assert [alice.post(path, body, headers=fresh).status_code for _ in range(3)] == [200] * 3
    assert alice.get("/api/credits").json["budget"]["spent"] == 0
    owner = person(client, APP_SETTINGS.of(app), "owner", "owner").get("/api/credits").json
    assert (len(owner["entries"]), "budget" in owner) == (4, False)


@on_sqlite
@pytest.mark.settings(budgets="day=0.15")
def test_a_later_step_of_the_owners_turn_has_no_budget_either(app, client, served_by):
    owner = person(client, APP_SETTINGS.of(app), "owner", "owner")
    served_by.answers = [
        Answer(model_streams.anthropic_call("user__current", {})),
        Answer(model_streams.anthropic("done")),
    ]
    chunks = owner.turn(owner.new_chat(), "x" * 50_000)
    assert text_of(chunks) == "done"


@on_sqlite
@pytest.mark.settings(budgets="day=8", extensions="tests.extension")
def test_a_turn_that_the_budget_ends_says_so(alice):
    """The first hold fits into the budget; with the tool's long result the second does not."""
    chunks = alice.turn(alice.new_chat(), "call test.long with {}")
    assert text_of(chunks) == TOO_FEW["budget"]
    assert alice.get("/api/credits").json["held"] == 0


@on_sqlite
def test_without_budgets_nothing_is_summed(alice, statements):
    alice.post(*IMAGE)
    assert "budget" not in alice.get("/api/credits").json
    assert not [one for one in statements if "sum(" in one.lower()]


def test_the_budget_of_a_role_replaces_everybodys(app, alice):
    budgets = settings_for("sqlite:///x", budgets="day=500,user.day=1.5").budgets
    assert budgets == {"": 500 * CREDIT, "user": 1_500_000}
    assert budget_of({}, None) is None
