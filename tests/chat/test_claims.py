"""Turns that lose their claim or their hold while they run: the stored rows and the payer."""

from contextlib import contextmanager

import gevent
import pytest
from sqlalchemy import delete, event, insert, select, update
from sqlalchemy.exc import IntegrityError, OperationalError
from structlog.testing import capture_logs

from service import supervised
from service.billing import ledger
from service.billing.models import Account, Entry, Hold
from service.chat import autonomous
from service.chat.models import Claim, Lease, Turn
from service.chat.turn import claim_watch, hold
from service.chat.turn.turn import NO_CREDITS
from service.database.access import write_transaction
from service.database.clock import from_now
from service.extensions import db
from service.records.models import Record
from tests import model_streams
from tests.app_database import execute_write, rows
from tests.chat.gated_turns import begin, end, gated_answer, gated_text, wait_until_begun
from tests.people import text_of
from tests.services import on_sqlite, wait_for
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


def test_a_message_that_was_deleted_and_sent_again_is_claimed_again(alice, app, served_by, chat):
    served_by.answers = [Answer(model_streams.anthropic("first"))]
    alice.turn(chat, "hello", userMessageId="u")
    for record in alice.records("ai-messages"):
        alice.delete(f"/api/records/ai-messages/{record['recordId']}")
    answer, gate = gated_text("second")
    served_by.answers = [answer]
    response = begin(alice, served_by, chat)
    execute_write(app, delete(Claim))
    wait_for(lambda: rows(app, select(Claim.turn_id)))
    assert end(response, gate)[-1]["type"] == "finish"
    assert [row["content"] for row in alice.rows(chat)] == ["hello", "second"]


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


def test_the_second_hold_of_a_turn_is_freed_if_the_reply_to_its_commit_is_lost(
    alice, app, served_by, chat, monkeypatch
):
    @contextmanager
    def transaction():
        with write_transaction() as session:
            yield session
        raise OperationalError("COMMIT", {}, Exception(), connection_invalidated=True)

    monkeypatch.setattr(hold, "write_transaction", transaction)
    call, gate = gated_answer(model_streams.anthropic_call("user__current", {}).encode())
    served_by.answers = [call]
    response = begin(alice, served_by, chat)
    assert sweep_everything(app) == 1
    assert end(response, gate)[-1]["type"] == "error"
    assert len(rows(app, select(Hold.ref))) == 2
    assert rows(app, select(Hold.hold_id).where(Hold.state == "open")) == []
    [account] = rows(app, select(Account).where(Account.subject == "alice"))
    assert (account.balance, account.held) == (1000 * 1_000_000 - (10 * 150 + 5 * 750), 0)


def check_books(app, cost):
    charges = rows(app, select(Entry.amount).where(Entry.kind != "grant"))
    assert -sum(charges) == cost
    assert rows(app, select(Turn.credits)) == [cost]
    [account] = rows(app, select(Account).where(Account.subject == "alice"))
    assert (account.balance, account.held) == (1000 * 1_000_000 - cost, 0)


def logged_strays(logged):
    return [line["turn_id"] for line in logged if line["event"] == "claim without a turn"]


def test_a_turn_that_ends_while_its_claim_is_read_is_not_a_claim_without_a_turn(
    alice, app, served_by, chat
):
    answer, gate = gated_text("done")
    served_by.answers = [answer]
    runs, has_begun = app.extensions["runs"], []

    def end_turn(_connection, _cursor, statement, *_rest):
        if has_begun and statement.startswith("SELECT") and "watched_until" in statement:
            gate.set()
            wait_for(lambda: not runs)

    with app.app_context():
        engine = db.engine
    event.listen(engine, "after_cursor_execute", end_turn)
    with capture_logs() as logged:
        response = begin(alice, served_by, chat)
        has_begun.append(True)
        wait_for(lambda: not runs)
        assert end(response, gate)[-1]["type"] == "finish"
        wait_for(lambda: not app.extensions["claim_watch"]._greenlet)
    event.remove(engine, "after_cursor_execute", end_turn)
    assert logged_strays(logged) == []


def test_a_claim_without_a_turn_is_removed_and_logged_once(alice, app, served_by, chat):
    answer, gate = gated_text("done")
    served_by.answers = [answer]
    with capture_logs() as logged:
        response = begin(alice, served_by, chat)
        [claim] = rows(app, select(Claim))
        stray = {"turn_id": "turn_stray", "user_message_id": "another", "chat_id": chat}
        of_worker = {"user_id": "alice", "lease_id": claim.lease_id}
        execute_write(app, insert(Claim).values(**stray, **of_worker))
        wait_for(lambda: rows(app, select(Claim.turn_id)) == [claim.turn_id])
        end(response, gate)
    assert logged_strays(logged) == ["turn_stray"]


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


@on_sqlite
def test_an_answer_without_a_chat_takes_no_claim_before_it_writes(app):
    """A watch that expected a claim would make one again, and nothing would remove it."""
    write = 'call records.create with {"collection": "notes", "data": {"title": "Kites"}}'
    with app.app_context():
        list(autonomous.ask(app, write))
    assert [data["title"] for data in rows(app, select(Record.data))] == ["Kites"]
    assert rows(app, select(Claim.turn_id)) == []
