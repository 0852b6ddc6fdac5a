"""Turns whose message another turn has claimed, after their worker was suspended."""

import gevent
import pytest
from gevent.event import Event
from sqlalchemy import delete, select, text, update
from sqlalchemy.exc import OperationalError

from service.billing.models import Account, Entry
from service.chat import claim_lock
from service.chat.models import Claim, JournalEntry, Lease, Turn
from service.chat.turn import claim_watch
from service.database.access import write_transaction
from service.database.clock import from_now
from service.extensions import db
from tests import model_streams
from tests.app_database import execute_write, rows
from tests.chat import waiting_reads
from tests.chat.gated_turns import begin, end, gated_answer
from tests.people import chunks_of, text_of
from tests.permissions.scripted_calls import stream_of_calls
from tests.services import wait_for
from tests.upstream import Answer

pytestmark = pytest.mark.settings(extensions="tests.chat.waiting_reads")
NOTE = {"collection": "notes", "data": {"title": "written twice"}}
NOT_SAVED = "The answer could not be saved. Please try again."


@pytest.fixture
def slow_watch(monkeypatch):
    """The worker continues after a pause, and its watch has not looked at the claims yet."""
    monkeypatch.setattr(claim_watch, "LOOK_SECONDS", 60)
    monkeypatch.setattr(claim_watch, "RECENT_SECONDS", 0)


@pytest.fixture
def gate(monkeypatch):
    fresh = waiting_reads.Gate()
    monkeypatch.setattr(waiting_reads, "gate", fresh)
    return fresh


def overtake(app):
    """Another worker has taken this one for lost, and answers the message."""
    lease = Lease.__table__.insert().values(lease_id="another", expires_at=from_now(600))
    execute_write(app, lease)
    execute_write(app, update(Claim).values(turn_id="turn_another", lease_id="another"))


def credits_of(app):
    [account] = rows(app, select(Account).where(Account.subject == "alice"))
    return account


def test_an_overtaken_turn_does_not_wait_for_its_model(alice, app, served_by, chat):
    call, gate = gated_answer(model_streams.anthropic("never read").encode())
    served_by.answers = [call]
    response = begin(alice, served_by, chat)
    overtake(app)
    last = chunks_of(response.get_data())[-1]  # the gate is closed
    gate.set()
    assert (last["type"], last["errorText"]) == ("error", NOT_SAVED)
    assert rows(app, select(Turn.turn_id)) == alice.rows(chat) == []
    assert rows(app, select(Claim.turn_id)) == ["turn_another"]


def test_an_overtaken_turn_is_charged_only_what_it_has_used(alice, app, served_by, chat):
    events, gate = model_streams.anthropic("half of it").encode(), Event()

    def half():
        head, separator, tail = events.partition(b"\n\nevent: content_block_stop")
        assert separator
        yield head + b"\n\n"
        gate.wait()

    served_by.answers = [Answer(half())]
    response = begin(alice, served_by, chat)
    overtake(app)
    chunks = chunks_of(response.get_data())
    gate.set()
    assert (chunks[-1]["errorText"], text_of(chunks)) == (NOT_SAVED, "half of it")
    [charge] = rows(app, select(Entry.amount).where(Entry.kind == "charge"))
    account = credits_of(app)
    assert (account.balance, account.held) == (1000 * 1_000_000 + charge, 0)
    assert -charge < 100_000
    assert alice.rows(chat) == []


def test_an_overtaken_turn_writes_nothing(alice, app, served_by, chat, slow_watch, monkeypatch):
    """Even if the worker's clock stood still while it was suspended."""
    monkeypatch.setattr(claim_watch, "RECENT_SECONDS", 60)
    call, gate = gated_answer(model_streams.anthropic_call("records__create", NOTE).encode())
    served_by.answers = [call, Answer(model_streams.anthropic("done"))]
    response = begin(alice, served_by, chat)
    overtake(app)
    assert end(response, gate)[-1]["errorText"] == NOT_SAVED
    assert alice.records("notes") == []
    assert len(served_by.seen) == 1


def begin_write(alice, served_by, chat, gate):
    """A turn whose tool has begun, and has not written its note yet."""
    write = ("test.wait-and-write", {"name": "note", "behind": "door"})
    served_by.answers = [Answer(stream_of_calls(write)), Answer(model_streams.anthropic("done"))]
    turn = gevent.spawn(alice.turn, chat, "go", userMessageId="u")
    wait_for(lambda: gate.inside)
    return turn


def test_a_turn_that_is_overtaken_while_its_tool_works_writes_nothing(
    alice, app, served_by, chat, slow_watch, gate
):
    turn = begin_write(alice, served_by, chat, gate)
    overtake(app)
    gate.door("door").set()
    assert turn.get(timeout=20)[-1]["errorText"] == NOT_SAVED
    assert alice.records("notes") == []
    assert rows(app, select(JournalEntry.turn_id)) == []


def test_a_write_whose_claim_was_swept_while_its_tool_worked_is_made_once(
    alice, app, served_by, chat, slow_watch, gate
):
    turn = begin_write(alice, served_by, chat, gate)
    execute_write(app, delete(Claim))
    gate.door("door").set()
    assert turn.get(timeout=20)[-1]["type"] == "finish"
    assert len(alice.records("notes")) == len(rows(app, select(JournalEntry.turn_id))) == 1


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_a_message_is_not_taken_over_between_a_write_and_its_commit(
    alice, app, served_by, chat, slow_watch, gate
):
    turn = begin_write(alice, served_by, chat, gate)
    [run] = app.extensions["runs"]
    with app.app_context(), write_transaction() as session, db.engine.begin() as other:
        claim_lock.lock(run.question, session)
        other.execute(text("SET LOCAL lock_timeout = '50ms'"))
        other.execute(update(Claim).values(end_reason=None))  # a stop need not wait
        with pytest.raises(OperationalError, match="lock timeout"), other.begin_nested():
            other.execute(delete(Claim))
    gate.door("door").set()
    assert turn.get(timeout=20)[-1]["type"] == "finish"


@pytest.mark.parametrize("count", [1, 2], ids=["one read", "reads at the same time"])
def test_an_overtaken_turn_reads_nothing(alice, app, served_by, chat, slow_watch, gate, count):
    reads = [("test.wait", {"name": str(n), "behind": "door"}) for n in range(count)]
    call, model_gate = gated_answer(stream_of_calls(*reads).encode())
    served_by.answers = [call]
    response = begin(alice, served_by, chat)
    overtake(app)
    assert end(response, model_gate)[-1]["errorText"] == NOT_SAVED
    assert gate.entered == []


def test_an_overtaken_turn_begins_no_further_step(alice, app, served_by, chat, slow_watch, gate):
    read = ("test.wait", {"name": "in", "behind": "out"})
    served_by.answers = [Answer(stream_of_calls(read)), Answer(model_streams.anthropic("done"))]
    turn = gevent.spawn(alice.turn, chat, "go", userMessageId="u")
    wait_for(lambda: gate.inside)
    overtake(app)
    gate.door("out").set()
    assert turn.get(timeout=20)[-1]["errorText"] == NOT_SAVED
    assert len(served_by.seen) == 1


def test_a_turn_whose_claim_was_only_swept_claims_again_before_it_writes(
    alice, app, served_by, chat, slow_watch
):
    call, gate = gated_answer(model_streams.anthropic_call("records__create", NOTE).encode())
    later, last_gate = gated_answer(model_streams.anthropic("done").encode())
    served_by.answers = [call, later]
    response = begin(alice, served_by, chat)
    execute_write(app, delete(Claim))
    gate.set()
    wait_for(lambda: alice.records("notes"))
    assert alice.ask(chat, "hello", userMessageId="u").status_code == 409
    assert text_of(end(response, last_gate)) == "done"
