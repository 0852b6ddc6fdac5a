"""A chat that is deleted at the moment in which one of its calls stores its answer."""

import gevent
import pytest

from service.database.access import write_transaction
from tests.assistant.leases import lease_of


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
@pytest.mark.parametrize("statement", ["UPDATE idempotency_keys", "SELECT journal.seq"])
def test_a_call_ends_while_its_chat_is_deleted(app, alice, pause, statement):
    chat = alice.new_chat()
    with app.app_context():
        lease = lease_of(app, "turn_a", chat_id=chat)
        sealed = lease.seal_answer("{}")

    def keep():
        with app.app_context(), write_transaction() as session:
            return lease.keep(session, sealed)

    deletion = gevent.Greenlet(alice.delete, f"/api/ai/chats/{chat}")
    came, go = pause(deletion, statement)
    deletion.start()
    assert came.wait(5)
    end = gevent.spawn(keep)
    gevent.sleep(0.2)  # it has what it can lock by then
    go.set()
    assert deletion.get(timeout=10).status_code == 200
    assert end.get(timeout=10)
