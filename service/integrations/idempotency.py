"""`Idempotency-Key`: the same call sent twice is made, and charged, once.

Source: contract section 10.
"""

import hashlib
import json
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import delete, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from service.database import write_transaction
from service.errors import Conflict
from service.extensions import now
from service.integrations import places
from service.integrations.models import IdempotencyKey
from service.integrations.seal import Sealer

KEPT = timedelta(hours=24)
UNDER_WAY = timedelta(minutes=15)  # a call that was lost with its worker lets go after that


class InFlight(Conflict):
    message = "A call with this Idempotency-Key is under way."
    headers = {"Retry-After": "2"}


class OtherBody(Conflict):
    message = "This Idempotency-Key was used with another body."


class Once:
    """One key of one user for one endpoint."""

    def __init__(self, sealer: Sealer, user_id: str, endpoint: str, key: str, body: Any) -> None:
        self._sealer, self._user, self._endpoint, self._key = sealer, user_id, endpoint, key
        self._hash = hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()

    def begin(self) -> str | None:
        """The stored answer's JSON, or None when it is for us to make the call.

        Raises `Conflict`. Needs an app context.
        """
        try:
            with write_transaction() as session:
                row = self._row(session)
                if row is None:
                    session.add(self._new())
                    return None
                if row.body_hash != self._hash:
                    raise OtherBody()
                if row.answer is None:
                    raise InFlight()
                return self._sealer.open(row.answer, self._place)
        except IntegrityError:
            raise InFlight() from None

    def keep(self, answer: str) -> None:
        with write_transaction() as session:
            row = self._row(session)
            if row:
                row.answer = self._sealer.seal(answer, self._place)
                row.expires_at = now() + KEPT

    def forget(self) -> None:
        """The call came to nothing that should be answered again."""
        with write_transaction() as session:
            row = self._row(session)
            if row:
                session.delete(row)

    @property
    def _place(self) -> str:
        return places.answer(self._user, self._endpoint, self._key)

    def _row(self, session: Session) -> IdempotencyKey | None:
        """The row, unless it has expired."""
        found = select(IdempotencyKey).filter_by(
            user_id=self._user, endpoint=self._endpoint, key=self._key
        )
        row = session.scalar(found.with_for_update())
        if row and row.expires_at < now():
            session.delete(row)
            session.flush()
            return None
        return row

    def _new(self) -> IdempotencyKey:
        return IdempotencyKey(
            user_id=self._user,
            endpoint=self._endpoint,
            key=self._key,
            body_hash=self._hash,
            expires_at=now() + UNDER_WAY,
        )


def sweep(session: Session, moment: datetime) -> None:
    session.execute(delete(IdempotencyKey).where(IdempotencyKey.expires_at < moment))
