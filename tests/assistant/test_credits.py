"""A turn and the calls that its user allows are paid from one account."""

import pytest
from sqlalchemy import select

from service.billing import ledger
from service.billing.models import Allowance, Hold
from service.billing.units import CREDIT
from service.chat.models import Lease
from service.chat.turn.turn import NO_CREDITS
from service.database.access import write_transaction
from service.database.clock import from_now
from tests import model_streams
from tests.app_database import rows
from tests.assistant.endpoint_calls import DONE, allow, call, cards
from tests.chat.gated_turns import gated_answer
from tests.people import text_of
from tests.services import wait_for

PIZZA = {"endpoint": "search-places", "body": {"query": "pizza in Boston"}}
PLACES = call(PIZZA["endpoint"], **PIZZA["body"])
STEP, PRICE = 0.00525, 1.75  # credits of a step of the scripted model, and of the call
FEW = 8  # for a step, whose hold is over 6, or for the call and the turn's cost so far
NO_CREDITS_FOR_IT = "There are not enough credits for this request."


def asked(begin, person, chat, served_by, *answers):
    """A turn that waits, and the data of its part."""
    served_by.answers = [*(answers or (PLACES,)), DONE]
    turn = begin(person, chat)
    return turn, turn.part("data-approval")


def credits_of(person):
    found = person.get("/api/credits").json
    return found["balance"], found["held"]


@pytest.mark.settings(starting_credits=FEW)
def test_a_call_that_the_user_allows_can_use_what_the_turn_does_not(alice, begin, chat, served_by):
    turn, part = asked(begin, alice, chat, served_by)
    assert credits_of(alice) == (FEW, STEP)
    allow(alice, chat, part)
    chunks = turn.end()
    assert [one["type"] for one in chunks if "output" in one["type"]] == ["tool-output-available"]
    assert credits_of(alice) == (FEW - STEP - PRICE, 0)


@pytest.mark.settings(starting_credits=FEW)
def test_a_turn_without_credits_for_its_next_step_keeps_the_calls_result(
    alice, begin, chat, served_by
):
    turn, part = asked(begin, alice, chat, served_by)
    allow(alice, chat, part)
    chunks = turn.end()
    assert (chunks[-1]["type"], text_of(chunks)) == ("finish", NO_CREDITS)
    stored = alice.rows(chat)[-1]
    assert stored["content"] == NO_CREDITS
    assert [one["state"] for one in stored["parts"] if "output" in one] == ["output-available"]
    assert len(served_by.seen) == 1


@pytest.mark.settings(starting_credits=FEW)
def test_a_turn_holds_credits_again_after_a_call_that_was_not_allowed(
    alice, begin, chat, served_by
):
    last, gate = gated_answer(model_streams.anthropic("done").encode())
    turn, part = asked(begin, alice, chat, served_by, PLACES, last)
    allow(alice, chat, part, "deny")
    wait_for(lambda: len(served_by.seen) == 2)
    assert credits_of(alice)[1] > 6
    gate.set()
    assert text_of(turn.end()) == "done"
    assert credits_of(alice) == (FEW - 2 * STEP, 0)


def test_a_next_step_that_may_cost_less_holds_its_credits_again(app, alice, begin, chat, served_by):
    asked(begin, alice, chat, served_by)
    [run] = app.extensions["runs"]
    assert run.hold.reserve(app, 1_000_000)
    assert credits_of(alice) == (1000, 1 + STEP)


def test_a_call_counts_for_the_token_of_its_turn_and_not_for_the_one_that_allows_it(
    app, alice, begin, chat, served_by
):
    limited, empty = (alice.limited("chat", credits=credits) for credits in (20, 0))
    turn, part = asked(begin, limited, chat, served_by)
    allow(empty, chat, part)
    turn.end()
    assert rows(app, select(Allowance.spent)) == [round((2 * STEP + PRICE) * CREDIT)]
    assert credits_of(alice) == (1000 - 2 * STEP - PRICE, 0)


@pytest.mark.settings(integrations_billing="places=developer")
def test_a_turn_keeps_its_hold_while_a_call_waits_that_the_owner_pays(
    alice, begin, chat, served_by
):
    turn, part = asked(begin, alice, chat, served_by)
    assert credits_of(alice)[1] > 6
    allow(alice, chat, part)
    turn.end()


def test_a_turn_whose_hold_was_swept_goes_on_after_the_users_decision(
    app, alice, begin, chat, served_by
):
    first, gate = gated_answer(model_streams.anthropic_call("integrations__call", PIZZA).encode())
    served_by.answers = [first, DONE]
    turn = begin(alice, chat)
    wait_for(lambda: served_by.seen)
    with app.app_context(), write_transaction() as session:
        assert ledger.sweep(session, from_now(7200), select(Lease.lease_id)) == 1
    gate.set()
    allow(alice, chat, turn.part("data-approval"))
    assert text_of(turn.end()) == "done"
    assert credits_of(alice) == (1000 - 2 * STEP - PRICE, 0)
    assert len(rows(app, select(Hold.ref))) == 3


@pytest.mark.settings(starting_credits=FEW)
def test_nobody_is_asked_to_allow_a_call_that_can_not_be_paid(alice, begin, chat, served_by):
    expensive = call("aivideo-create-video", prompt="a lighthouse")
    served_by.answers = [expensive, DONE]
    chunks = begin(alice, chat).end()
    assert cards(chunks) == []
    [error] = [one["errorText"] for one in chunks if one["type"] == "tool-output-error"]
    left = FEW - STEP
    assert error == f"{NO_CREDITS_FOR_IT} It may need 199.8 credits, and {left:g} are available."
    assert credits_of(alice) == (FEW - 2 * STEP, 0)


@pytest.mark.settings(budgets="day=8")
def test_nobody_is_asked_to_allow_a_call_beyond_the_budget(alice, begin, chat, served_by):
    served_by.answers = [call("aivideo-create-video", prompt="a lighthouse"), DONE]
    chunks = begin(alice, chat).end()
    assert cards(chunks) == []
    [error] = [one["errorText"] for one in chunks if one["type"] == "tool-output-error"]
    assert error.startswith("This may need 199.8 credits, and your budget of 8 credits a day has")
