"""A short load, and whether its rules notice what they are there for."""

import copy

import pytest

from service.billing.units import CREDIT
from tests.depth import depth
from tests.load.disasters import Schedule
from tests.load.rule_checks import check
from tests.load.rules import table
from tests.load.running import run

SECONDS = 6
OFTEN = Schedule(kill=2.5, cut=3.3, restart=4.5, away=0.5)


@pytest.fixture(scope="module")
def outcome(databases, tmp_path_factory):
    made = run(
        databases, tmp_path_factory.mktemp("load"), 8, depth(SECONDS), 0.3, OFTEN, quick=True
    )
    made.expected = {"kills": 1, "cuts": 1, "restarts": 1}
    return made


@pytest.mark.timeout(600)
def test_no_rule_is_violated_while_workers_database_and_service_come_and_go(outcome):
    violated = [verdict for verdict in check(outcome) if verdict.violations]
    assert not violated, table(violated)


def lose_an_answer(stored):
    stored["messages"].remove(next(r for r in stored["messages"] if r["role"] == "assistant"))


def answer_twice(stored):
    stored["turns"].append(stored["turns"][-1])


def forget_a_turn(stored):
    stored["turns"].pop()


def stop_the_clock(stored):
    """Another turn may have stored a message between two of a chat."""
    newest = {}
    for message in stored["messages"]:
        if before := newest.get(message["chat_id"]):
            message["created_at"] = before["created_at"]
            return
        newest[message["chat_id"]] = message


def change_a_balance(stored):
    stored["accounts"][0]["balance"] += CREDIT


def keep_a_hold(stored):
    hold = next(hold for hold in stored["holds"] if hold["lease_id"])
    hold["state"] = "open"


def charge_twice(stored):
    stored["entries"].append(next(e for e in stored["entries"] if e["kind"] == "charge"))


def lose_a_note(stored):
    stored["records"].pop()


def lose_a_change(stored):
    stored["outbox"].remove(next(r for r in stored["outbox"] if r["collection"] == "notes"))


def leave_a_claim(stored):
    stored["claims"].append({"turn_id": "turn_lost"})


def forget_a_write(stored):
    stored["journal"].pop()


TAMPERED = {
    lose_an_answer: "a chat holds the messages of its turns, in order, and no others",
    answer_twice: "a message has one turn, unless it was asked anew",
    forget_a_turn: "a chat holds the messages of its turns, in order, and no others",
    stop_the_clock: "createdAt grows strictly within a chat",
    change_a_balance: "a balance is the sum of its entries",
    keep_a_hold: "no turn's hold is open",
    charge_twice: "a charge belongs to exactly one hold, and a hold has at most one charge",
    lose_a_note: "the changes of the feed add up to the stored notes",
    lose_a_change: "a follower saw each change exactly once and in order",
    leave_a_claim: "no claim and no published chunk is left",
    forget_a_write: "the journal has each note that a tool has written, and nothing else",
}


@pytest.mark.parametrize("tamper", TAMPERED, ids=lambda one: one.__name__)
def test_a_rule_notices(outcome, tamper):
    outcome = copy.copy(outcome)
    outcome.stored = copy.deepcopy(outcome.stored)
    for name in ("changes", "titles"):
        outcome.stored.__dict__.pop(name, None)
    tamper(outcome.stored)
    violated = {verdict.name for verdict in check(outcome) if verdict.violations}
    assert TAMPERED[tamper] in violated
