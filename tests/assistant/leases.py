"""Leases on the keys of calls in a chat, as their attempts take them."""

from service.app_keys import APP_SETTINGS
from service.chat.external_calls import CallEntry
from service.integrations.calling.idempotency import KeyLease
from service.sealing.seal import Sealer

ROOM = "rtc-create-room"  # safe to repeat


def lease_of(app, turn, earlier=None, chat_id="chat", key="key"):
    names = {"tool": "integrations.call", "endpoint": ROOM, "chat_id": chat_id, "user_id": "alice"}
    message = {"user_message_id": "u", "fingerprint": "hash", "call_id": key}
    note = CallEntry(turn_id=turn, earlier=earlier, **names, **message)
    sealer = Sealer(APP_SETTINGS.of(app).token_encryption_keys)
    endpoint = app.extensions["proxy"].catalog.named(ROOM)
    lease = KeyLease(sealer, "alice", endpoint, key, {}, note, chat_id)
    assert lease.begin() is None
    lease.leave()
    return lease
