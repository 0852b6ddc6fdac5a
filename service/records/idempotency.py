"""The `Idempotency-Key` of a create, with which a repeated request creates only one record.

Source: docs/contract.md, section 10.9.
"""

import hashlib
import json
from typing import Any

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from service.database.clock import current_time, from_now
from service.database.locks import lock_name
from service.records.models import CreateKey
from service.web.errors import Conflict

KEY_LIFETIME = 24 * 3600  # seconds


class OtherData(Conflict):
    message = "This Idempotency-Key was used with other data."


class IdempotentCreate:
    """A user's create in a collection, with a key. `data` is the data in the request."""

    def __init__(self, user_id: str, collection: str, key: str, data: Any) -> None:
        self._key = {"user_id": user_id, "collection": collection, "key": key}
        self._hash = hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()

    def earlier_record(self, session: Session) -> str | None:
        """Return the id of the record that was created with the key, or None.

        Locks the key until the transaction ends. Raises `OtherData` if the data was different.
        """
        lock_name(session.connection(), "create " + json.dumps(list(self._key.values())))
        session.execute(delete(CreateKey).filter_by(**self._key).where(_has_expired()))
        row = session.scalar(select(CreateKey).filter_by(**self._key))
        if row and row.data_hash != self._hash:
            raise OtherData()
        return row.record_id if row else None

    def store(self, session: Session, record_id: str) -> None:
        values = {**self._key, "data_hash": self._hash, "record_id": record_id}
        session.add(CreateKey(**values, expires_at=from_now(KEY_LIFETIME)))


def sweep(session: Session) -> None:
    """Delete the expired keys."""
    session.execute(delete(CreateKey).where(_has_expired()))


def _has_expired() -> Any:
    return CreateKey.expires_at < current_time()
