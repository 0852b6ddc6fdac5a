"""Messages of the socket.

Source: docs/contract.md, section 7.9.
"""

from collections.abc import Iterator
from typing import Any

from service.records import permissions
from service.records.changes import Change
from service.records.subscription import Subscription
from service.web.errors import Forbidden

BATCH_BYTES = 256 << 10  # after which a batch takes no further change


def error_message(id: Any, error: Any) -> dict[str, Any]:
    """Return the message on the socket for a `ServiceError`."""
    return {"type": "error", "id": id, "error": error.code, "message": error.message, **error.facts}


def end_message(subscription: Subscription, role: str) -> dict[str, Any]:
    """Return the message about the end of a subscription, for a user whose role is now `role`."""
    if permissions.rule(subscription.collection, role, "read"):
        return {"type": "resync", "id": subscription.id}
    return error_message(subscription.id, Forbidden())


def next_batch(
    page: Iterator[Change], subscriptions: list[Subscription], subject: str
) -> tuple[list[bytes], bool]:
    """Return messages about the next changes, and whether they exceed `BATCH_BYTES`."""
    batch: list[bytes] = []
    size = 0
    for change in page:
        for subscription in subscriptions:
            if not subscription.concerns(change, subject):
                continue
            if message := subscription.message(change):
                batch.append(message)
                size += len(message)
        if size > BATCH_BYTES:
            return batch, True
    return batch, False
