"""A call whose key another attempt has taken over, because its worker stood still for too long."""

from sqlalchemy import select, update

from service.chat.models import JournalEntry
from service.chat.outside import CALLED, CallEntry
from service.database.access import write_transaction
from service.database.clock import from_now
from service.extensions import db
from service.integrations.calling.idempotency import KeyLease
from service.integrations.models import IdempotencyKey
from service.sealing.seal import Sealer

ROOM = "rtc-create-room"  # safe to repeat


def lease_of(app, turn, earlier=None, chat_id="chat", key="key"):
    names = {"tool": "integrations.call", "endpoint": ROOM, "chat_id": chat_id, "user_id": "alice"}
    message = {"user_message_id": "u", "fingerprint": "hash", "call_id": key}
    note = CallEntry(turn_id=turn, earlier=earlier, **names, **message)
    sealer = Sealer(app.config["SETTINGS"].token_encryption_keys)
    endpoint = app.extensions["proxy"].catalog.named(ROOM)
    lease = KeyLease(sealer, "alice", endpoint, key, {}, note, chat_id)
    assert lease.begin() is None
    lease.leave()
    return lease


def test_what_the_next_try_has_called_stays_in_the_journal(app, alice):
    """The vendor refuses the slow attempt after it has answered the next one."""
    alice.get("/api/me")
    with app.app_context():
        slow = lease_of(app, "turn_a")
        noted = db.session.scalar(select(JournalEntry.seq))
        db.session.execute(update(IdempotencyKey).values(held_until=from_now(-1)))
        db.session.commit()
        following = lease_of(app, "turn_b", noted)
        with write_transaction() as session:
            assert following.keep(session, following.sealed("{}"))
        with write_transaction() as session:
            slow.forget(session)
        outcomes = db.session.scalars(select(JournalEntry.outcome)).all()
        db.session.commit()
    assert outcomes == [CALLED]
