"""Turns that lose their claim or their hold while they run: the stored rows and the payer."""

import gevent
import pytest
from sqlalchemy import delete, select, update
from sqlalchemy.exc import IntegrityError, OperationalError

from service import supervised
from service.billing import ledger
from service.billing.models import Account, Entry, Hold
from service.chat.models import Claim, Lease, Turn
from service.chat.turn import claim_watch
from service.chat.turn.turn import NO_CREDITS
from service.database.access import write_transaction
from service.database.clock import from_now
from tests import model_streams
from tests.app_database import execute_write, rows
from tests.chat.gated_turns import begin, end, gated_answer, gated_text, wait_until_begun
from tests.people import text_of
from tests.services import wait_for
from tests.upstream import Answer


def begin_beside(app, alice, served_by, chat, **body):
    """Another turn for a message whose claim is lost, which its first turn takes again soon."""
    before = len(served_by.seen)
    while True:
        execute_write(app, delete(Claim))
        response = alice.ask(chat, "hello", userMessageId="u", **body)
        if response.status_code != 409:
            return wait_until_begun(response, served_by, before)


@pytest.mark.parametrize("answered", [False, True], ids=["new message", "regenerated"])
def test_of_two_turns_that_answer_one_message_only_the_first_is_stored(
    alice, app, served_by, chat, answered
):
    again = {"trigger": "regenerate-message"} if answered else {}
    (slow, slow_gate), (quick, quick_gate) = gated_text("slow"), gated_text("quick")
    served_by.answers = [slow, quick]
    if answered:
        served_by.answers.insert(0, Answer(model_streams.anthropic("before")))
        alice.turn(chat, "hello", userMessageId="u")
    first = begin(alice, served_by, chat, **again)
    second = begin_beside(app, alice, served_by, chat, **again)
    assert text_of(end(second, quick_gate)) == "quick"
    gevent.sleep(2 * claim_watch.LOOK_SECONDS)
    assert rows(app, select(Claim.turn_id)) == [], "the first turn claims it no more"
    assert len(rows(app, select(Entry).where(Entry.kind == "charge"))) == 1 + answered
    last = end(first, slow_gate)[-1]
    assert (last["type"], last["errorText"][:30]) == ("error", "The answer could not be saved.")
    assert [row["content"] for row in alice.rows(chat)] == ["hello", "quick"]
    assert rows(app, select(Claim.turn_id)) == []


def test_a_claim_that_was_swept_is_claimed_again(alice, app, served_by, chat):
    answer, gate = gated_text("whole")
    served_by.answers = [answer]
    response = begin(alice, served_by, chat)
    execute_write(app, delete(Claim))
    execute_write(app, delete(Lease))
    wait_for(lambda: rows(app, select(Claim.turn_id)))
    app.extensions["lease"]._renewed = float("-inf")
    wait_for(lambda: rows(app, select(Lease.lease_id)))
    assert alice.ask(chat, "hello", userMessageId="u").status_code == 409
    assert end(response, gate)[-1]["type"] == "finish"
    assert len(alice.rows(chat)) == 2


def sweep_everything(app):
    with app.app_context(), write_transaction() as session:
        return ledger.sweep(session, from_now(7200), select(Lease.lease_id))


def test_a_turn_whose_hold_was_swept_is_paid_all_the_same(alice, app, served_by, chat):
    answer, gate = gated_text("paid")
    served_by.answers = [answer]
    response = begin(alice, served_by, chat)
    assert sweep_everything(app) == 1
    assert end(response, gate)[-1]["type"] == "finish"
    check_books(app, 10 * 150 + 5 * 750)


def test_a_lost_hold_is_not_reported_as_a_lack_of_credits(alice, app, served_by, chat):
    call, gate = gated_answer(model_streams.anthropic_call("user__current", {}).encode())
    served_by.answers = [call, Answer(model_streams.anthropic("done"))]
    response = begin(alice, served_by, chat)
    assert sweep_everything(app) == 1
    chunks = end(response, gate)
    assert (chunks[-1]["type"], text_of(chunks)) == ("finish", "done")
    check_books(app, 2 * (10 * 150 + 5 * 750))
    assert len(rows(app, select(Hold.ref))) == 2


def test_a_lost_hold_that_the_credits_do_not_cover_again_ends_the_turn(alice, app, served_by, chat):
    call, gate = gated_answer(model_streams.anthropic_call("user__current", {}).encode())
    served_by.answers = [call]
    response = begin(alice, served_by, chat)
    assert sweep_everything(app) == 1
    execute_write(app, update(Account).where(Account.subject == "alice").values(balance=10_000))
    chunks = end(response, gate)
    assert (chunks[-1]["type"], text_of(chunks)) == ("finish", NO_CREDITS)
    [account] = rows(app, select(Account).where(Account.subject == "alice"))
    assert (account.balance, account.held) == (10_000 - (10 * 150 + 5 * 750), 0)


def check_books(app, cost):
    charges = rows(app, select(Entry.amount).where(Entry.kind != "grant"))
    assert -sum(charges) == cost
    assert rows(app, select(Turn.credits)) == [cost]
    [account] = rows(app, select(Account).where(Account.subject == "alice"))
    assert (account.balance, account.held) == (1000 * 1_000_000 - cost, 0)


@pytest.mark.parametrize("error", [IntegrityError("", {}, Exception()), ValueError()], ids=repr)
def test_a_cleanup_that_fails_keeps_no_other_waiting(app, monkeypatch, error):
    monkeypatch.setattr(gevent.get_hub(), "handle_error", lambda *_: None)  # which prints it
    for module, name in ((supervised, "RESTART_SECONDS"), (claim_watch, "LOOK_SECONDS")):
        monkeypatch.setattr(module, name, 0.01)
    watch, done = app.extensions["claim_watch"], []

    def fail(_session):
        raise error

    watch._cleanups |= {"turn_a": fail, "turn_b": lambda _session: done.append("b")}
    watch.wake()
    wait_for(lambda: done)
    watch._cleanups.clear()


def test_a_worker_that_is_to_end_charges_its_turns_first(app, monkeypatch):
    monkeypatch.setattr(claim_watch, "LOOK_SECONDS", 0.01)
    watch, lifecycle, done = app.extensions["claim_watch"], app.extensions["lifecycle"], []
    assert lifecycle.is_done

    def charge(_session):
        done.append(lifecycle.is_done)
        if len(done) == 1:
            raise OperationalError("", {}, Exception())

    watch._cleanups["turn_a"] = charge
    watch.wake()
    wait_for(lambda: lifecycle.is_done)
    assert done == [False, False]
