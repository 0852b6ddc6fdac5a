"""`Idempotency-Key` of a create: the same create sent twice makes one record.

Source: contract section 10.
"""

import hashlib
import json
import re
from typing import Any

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from service.clock import current_time, from_now
from service.errors import Conflict
from service.records import outbox
from service.records.models import CreateKey

KEPT_SECONDS = 24 * 3600
KEY = re.compile(r"[!-~]{1,255}")
KEY_RULE = "1 to 255 visible ASCII characters."


class OtherData(Conflict):
    message = "This Idempotency-Key was used with other data."


class Once:
    """A user's key for one create in a collection; `given` is the data as it was sent."""

    def __init__(self, user_id: str, collection: str, key: str, given: Any) -> None:
        self._place = {"user_id": user_id, "collection": collection, "key": key}
        self._hash = hashlib.sha256(json.dumps(given, sort_keys=True).encode()).hexdigest()

    def earlier(self, session: Session) -> str | None:
        """The id of the record that was made with the key; None if there is none yet.

        The key is locked until the transaction ends. Raises `Conflict` for other data.
        """
        outbox.take_turn(session.connection(), "create " + json.dumps(list(self._place.values())))
        session.execute(delete(CreateKey).filter_by(**self._place).where(_expired()))
        row = session.scalar(select(CreateKey).filter_by(**self._place))
        if row and row.data_hash != self._hash:
            raise OtherData()
        return row.record_id if row else None

    def keep(self, session: Session, record_id: str) -> None:
        values = {**self._place, "data_hash": self._hash, "record_id": record_id}
        session.add(CreateKey(**values, expires_at=from_now(KEPT_SECONDS)))


def sweep(session: Session) -> None:
    session.execute(delete(CreateKey).where(_expired()))


def _expired() -> Any:
    return CreateKey.expires_at < current_time()
