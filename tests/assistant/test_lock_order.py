"""Transactions about one chat that lock the same rows at the same moment: none is a deadlock."""

from pathlib import Path

import gevent
import pytest
from gevent.event import Event
from sqlalchemy import insert

from service.billing.payer import Payer
from service.billing.units import CREDIT
from service.database.access import write_transaction
from service.database.batching import SharedWrites
from service.database.clock import from_now
from service.extensions import db
from service.integrations.calling import key_rows
from service.integrations.calling.attempt import Attempt, Charge
from service.integrations.calling.call_log import CallFacts, LoggedCall, LoggedRows
from service.integrations.models import IdempotencyKey
from tests import model_streams
from tests.app_database import lock_waits
from tests.assistant.leases import ROOM, lease_of
from tests.chat.dead_turn import DeadTurn, undo
from tests.services import wait_for
from tests.upstream import Answer

pytestmark = pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)

DEADLOCK = "ERROR:  deadlock detected"


@pytest.fixture(autouse=True)
def no_deadlocks(app, databases):
    """Also none whose victim has tried again."""
    log = Path(databases.cluster.directory, "log")
    before = log.read_text().count(DEADLOCK)
    yield
    assert log.read_text().count(DEADLOCK) == before


@pytest.fixture
def attempt(app, alice):
    """Makes attempts at a call with a key in a chat, which have held credits."""

    def make(chat, key="key"):
        rows = LoggedRows(app.extensions["call_rows"], SharedWrites(app))
        logged = LoggedCall(rows, CallFacts("alice", ROOM, "livekit", "user", "chat", None))
        charge = Charge(Payer("alice", False), 1000, 1000 * CREDIT, 60, ROOM, {})
        with app.app_context():
            lease = lease_of(app, "turn_a", chat_id=chat, key=key)
            return Attempt("alice", charge, lease, app.extensions["proxy"]._renewal, logged)

    return make


def hold(app, attempt):
    with app.app_context():
        attempt.hold()
    return attempt


def ending(app, attempt):
    """Ends an attempt, its call made, in a greenlet of its own."""

    def end():
        with app.app_context():
            attempt.end(0, {}, None)

    return gevent.spawn(end)


def freeing(app, attempt):
    """Ends an attempt, its call not made, in a greenlet of its own."""

    def free():
        with app.app_context():
            attempt.__exit__(None, None, None)

    return gevent.spawn(free)


def text_until(answered):
    """A model's answer whose end comes after the event."""
    text, end = model_streams.anthropic("one two").split("event: content_block_stop")
    yield text.encode()
    answered.wait()
    yield f"event: content_block_stop{end}".encode()


def deleting(alice, chat):
    return gevent.Greenlet(alice.delete, f"/api/ai/chats/{chat}")


def succeeds(deletion):
    return deletion.get(timeout=10).status_code == 200


def add_key(app, chat, key, left):
    row = {"user_id": "alice", "endpoint": ROOM, "key": key, "chat_id": chat, "body_hash": "h"}
    times = {"held_until": from_now(15), "left_at": from_now(0) if left else None}
    with app.app_context(), write_transaction() as session:
        added = insert(IdempotencyKey).values(**row, **times, holder=key, expires_at=from_now(900))
        session.execute(added)


def test_keys_are_renewed_while_their_chat_is_deleted(app, alice, chat, pause):
    """The deletion locks the second key before the first."""
    add_key(app, chat, "first", left=False)
    add_key(app, chat, "second", left=True)

    def renew():
        with app.app_context(), write_transaction() as session:
            key_rows.renew(session, ["first", "second"])

    deletion = deleting(alice, chat)
    came, go = pause(deletion, "DELETE FROM idempotency_keys")
    deletion.start()
    assert came.wait(5)
    renewal = gevent.spawn(renew)
    with app.app_context():
        wait_for(lambda: renewal.ready() or lock_waits())
    go.set()
    assert succeeds(deletion)
    renewal.get(timeout=10)


def test_a_turn_is_undone_while_its_chat_is_deleted(app, alice, chat, pause, other):
    """The journal has the notes in another order than the one in which they were made."""
    dead_turn = DeadTurn(app, alice, chat_id=chat)
    notes = [alice.post("/api/records/notes", {"title": "old"}).json["recordId"] for _ in "ab"]
    for note in reversed(notes):
        dead_turn.update(note, title="new")
    undoing = gevent.Greenlet(undo, alice, dead_turn.turn_id)
    came, go = pause(undoing, "UPDATE journal", skip=1)
    undoing.start()
    assert came.wait(5)
    deletion = deleting(alice, chat)
    deletion.start()
    other.sees_waiting(1)
    go.set()
    assert len(undoing.get(timeout=10).json["undone"]) == 2
    assert succeeds(deletion)


def test_a_turn_of_a_deleted_chat_ends_while_its_call_ends(
    app, alice, chat, begin, served_by, attempt, pause, other
):
    """The call took its key after the deletion had looked at the keys."""
    served_by.answers = [Answer(text_until(Event()))]
    turn = begin(alice, chat)
    wait_for(lambda: b"text-delta" in turn.text)
    deletion = deleting(alice, chat)
    came, go = pause(deletion, "DELETE FROM chats")
    deletion.start()
    assert came.wait(5)
    call = hold(app, attempt(chat))
    other.lock_account()
    go.set()
    assert succeeds(deletion)
    other.sees_waiting(1)  # the end of the turn
    end = ending(app, call)
    other.sees_waiting(2)
    other.release()
    end.get(timeout=10)
    assert turn.end()[-1]["type"] == "abort"
    with app.app_context():
        assert not db.session.query(IdempotencyKey).filter_by(chat_id=chat).count()


def test_a_turn_stores_its_rows_while_a_call_of_an_earlier_try_ends(
    app, alice, chat, begin, served_by, attempt, other
):
    call, answered = hold(app, attempt(chat)), Event()
    served_by.answers = [Answer(text_until(answered))]
    turn = begin(alice, chat, userMessageId="u")
    wait_for(lambda: b"text-delta" in turn.text)
    other.lock_account()
    answered.set()
    other.sees_waiting(1)
    end = ending(app, call)
    other.sees_waiting(2)
    other.release()
    end.get(timeout=10)
    assert turn.end()[-1]["type"] == "finish"


def test_a_call_is_freed_while_another_ends_and_their_chat_is_deleted(
    app, alice, chat, attempt, other
):
    refused, made = hold(app, attempt(chat, "a")), hold(app, attempt(chat, "b"))
    other.lock_account()
    freed = freeing(app, refused)
    other.sees_waiting(1)
    end = ending(app, made)
    other.sees_waiting(2)
    deletion = deleting(alice, chat)
    deletion.start()
    other.sees_waiting(3)
    other.release()
    freed.get(timeout=10)
    end.get(timeout=10)
    assert succeeds(deletion)
