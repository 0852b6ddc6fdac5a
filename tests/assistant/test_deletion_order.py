"""A chat that is deleted at the moment in which one of its calls stores its answer."""

import gevent
import pytest
from gevent.event import Event
from sqlalchemy import event

from service.database.access import write_transaction
from service.extensions import db
from tests.assistant.test_overtaken_calls import lease_of


@pytest.fixture
def pause(app):
    """Let a greenlet wait, once, before a statement that begins so, until the second event."""
    pauses = {}

    def wait(connection, cursor, statement, *_):
        beginning, came, go = pauses.get(gevent.getcurrent(), ("nothing", None, None))
        if statement.startswith(beginning):
            del pauses[gevent.getcurrent()]
            came.set()
            go.wait(10)

    def before(greenlet, beginning):
        came, go = Event(), Event()
        pauses[greenlet] = (beginning, came, go)
        return came, go

    with app.app_context():
        engine = db.engine
    event.listen(engine, "before_cursor_execute", wait)
    yield before
    event.remove(engine, "before_cursor_execute", wait)


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
@pytest.mark.parametrize("table", ["idempotency_keys", "journal"])
def test_the_end_of_a_call_and_the_deletion_of_its_chat_do_not_deadlock(app, alice, pause, table):
    chat = alice.new_chat()
    with app.app_context():
        lease = lease_of(app, "turn_a", chat_id=chat)
        sealed = lease.sealed("{}")

    def keep():
        with app.app_context(), write_transaction() as session:
            return lease.keep(session, sealed)

    deletion = gevent.Greenlet(alice.delete, f"/api/ai/chats/{chat}")
    came, go = pause(deletion, f"UPDATE {table}")
    deletion.start()
    assert came.wait(5)
    end = gevent.spawn(keep)
    gevent.sleep(0.2)  # it has what it can lock by then
    go.set()
    assert deletion.get(timeout=10).status_code == 200
    assert end.get(timeout=10)
