"""Several rows of one table are locked in one order, and sweeps leave out those that are locked."""

import gevent
import psycopg
import pytest
from sqlalchemy import insert, select, update

from service.chat import claims, journal
from service.chat.models import Claim, JournalEntry, Lease
from service.database.access import write_transaction
from service.database.clock import from_now
from service.extensions import db
from service.integrations.calling import key_rows
from service.integrations.models import IdempotencyKey
from service.records.models import Outbox
from tests.user_erasure import erase

pytestmark = pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)

LONG_AGO = 40 * 24 * 3600


def write(app, *statements):
    with app.app_context(), write_transaction() as session:
        for statement in statements:
            session.execute(statement)


@pytest.fixture
def claimed(app, chat):
    """Two turns run; the row of the second is stored first."""
    row = {"user_id": "alice", "chat_id": chat, "lease_id": "lease", "began_at": from_now(0)}
    turns = [{**row, "turn_id": turn, "user_message_id": f"u-{turn}"} for turn in "ba"]
    write(
        app,
        insert(Lease).values(lease_id="lease", expires_at=from_now(15)),
        *(insert(Claim).values(**turn) for turn in turns),
    )
    yield
    write(app, claims_table_emptied())


def claims_table_emptied():
    return Claim.__table__.delete()


@pytest.fixture
def noted(app, alice, chat):
    """Two entries of the journal; the row of the first was changed, and stands behind the other."""
    of = {"user_id": "alice", "owner": "alice", "collection": "notes", "tool": "t", "outcome": "a"}
    row = {**of, "chat_id": chat, "turn_id": "turn", "created_at": from_now(-LONG_AGO)}
    entries = [insert(JournalEntry).values(seq=seq, record_id=f"r{seq}", **row) for seq in (1, 2)]
    write(app, *entries)
    write(app, update(JournalEntry).where(JournalEntry.seq == 1).values(tool="changed"))


def waits_for_the_first(other, table, first, second, work):
    """The work waits for the first row, and has not locked the second by then."""
    other.lock(table, first)
    working = gevent.spawn(work)
    other.sees_waiting(1)
    try:
        other.lock(table, second, "nowait")
    except psycopg.errors.LockNotAvailable:
        pytest.fail("the second row is locked")
    finally:
        other.release()
        working.join(10)


@pytest.mark.usefixtures("claimed")
def test_a_stop_locks_claims_in_the_order_of_their_turns(alice, chat, other):
    def stop():
        alice.post(f"/api/ai/chat/{chat}/stop")

    waits_for_the_first(other, "claims", "turn_id = 'a'", "turn_id = 'b'", stop)


@pytest.fixture
def delete(alice, chat):
    return lambda: alice.delete(f"/api/ai/chats/{chat}")


@pytest.mark.usefixtures("claimed")
def test_an_erasure_locks_claims_in_the_order_of_their_turns(app, other):
    waits_for_the_first(other, "claims", "turn_id = 'a'", "turn_id = 'b'", lambda: erase(app))


@pytest.mark.usefixtures("noted")
def test_an_erasure_locks_the_journal_in_its_order(app, other):
    waits_for_the_first(other, "journal", "seq = 1", "seq = 2", lambda: erase(app))


def test_an_erasure_leaves_out_a_record_that_is_being_deleted(app, alice, other):
    """It would announce the removal a second time, and the library warn of the missing row."""
    alice.post("/api/records/notes", {"title": "gone"})
    other.connection.execute("delete from records where collection = 'notes'")
    erasure = gevent.spawn(erase, app)
    other.sees_waiting(1)
    other.release()
    assert erasure.get(timeout=10).known
    with app.app_context():
        of_notes = select(Outbox.action).where(Outbox.collection == "notes")
        assert db.session.scalars(of_notes).all() == ["added"]
        db.session.commit()


@pytest.mark.usefixtures("noted")
def test_a_deletion_locks_the_journal_in_its_order(delete, other):
    waits_for_the_first(other, "journal", "seq = 1", "seq = 2", delete)


@pytest.fixture
def keys(app, alice, chat):
    """Two expired keys, of which the second is that of a call that has left."""
    row = {"user_id": "alice", "endpoint": "e", "chat_id": chat, "body_hash": "h", "holder": "a"}
    times = {"held_until": from_now(-9), "expires_at": from_now(-9)}
    first, second = (insert(IdempotencyKey).values(key=key, **row, **times) for key in "ab")
    write(app, first, second.values(left_at=from_now(-9)))


@pytest.mark.usefixtures("keys")
def test_a_deletion_locks_keys_in_their_order(delete, other):
    waits_for_the_first(other, "idempotency_keys", "key = 'a'", "key = 'b'", delete)


@pytest.mark.usefixtures("noted")
def test_a_sweep_leaves_out_locked_entries_of_the_journal(app, other):
    other.lock("journal", "seq = 1")
    assert swept(app, journal.sweep) == 1
    other.release()
    assert swept(app, journal.sweep) == 1


@pytest.mark.usefixtures("claimed")
def test_a_sweep_leaves_out_locked_claims(app, other):
    write(app, Lease.__table__.delete())
    other.lock("claims", "turn_id = 'a'")
    assert swept(app, claims.sweep, ()) == 1
    other.release()
    assert swept(app, claims.sweep, ()) == 1


@pytest.mark.usefixtures("keys")
def test_a_sweep_leaves_out_locked_keys(app, other):
    other.lock("idempotency_keys", "key = 'a'")
    swept(app, key_rows.sweep)
    assert other.connection.execute("select key from idempotency_keys").fetchall() == [("a",)]


def swept(app, sweep, *arguments):
    def work():
        with app.app_context(), write_transaction() as session:
            return sweep(session, *arguments)

    return gevent.spawn(work).get(timeout=30)
