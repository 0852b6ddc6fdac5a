"""`Idempotency-Key`: the same call, sent twice, is made and charged once.

A key is in one of three states. *Taken*: an attempt has it, and has sent nothing to the vendor.
*Left*: the attempt is about to send its first request; this is committed before the first byte.
*Done*: the answer is stored. If the attempt's worker is lost, its lease on the key expires. A taken
key is then free. With a left key nobody knows what the vendor has done, so the call is made again
only if a second call changes nothing more. Source: docs/contract.md, sections 10.8 and 10.9.
"""

import hashlib
import json
import time
from typing import Any

import gevent
import structlog
from sqlalchemy import Row, Select, and_, delete, insert, select, update
from sqlalchemy.exc import IntegrityError, SQLAlchemyError
from sqlalchemy.orm import Session

from service.auth import user_locks
from service.database.access import write_transaction
from service.database.clock import current_time, from_now
from service.extensions import db, table
from service.ids import new_id
from service.integrations.calling.unsealing import unseal
from service.integrations.declare.endpoint import Endpoint
from service.integrations.inbound import CallNote
from service.integrations.models import IdempotencyKey
from service.sealing import places
from service.sealing.seal import Sealer
from service.web.errors import Conflict

KEPT_SECONDS = 24 * 3600.0  # from a key's last change
LEASE_SECONDS = 15.0  # for which an attempt has its key, unless it is renewed
PATIENCE_SECONDS = LEASE_SECONDS + 2.0  # to wait for an attempt that may be lost
LOOK_SECONDS = 0.5
# The previous release frees a key without an answer when it expires, so only a key that
# is taken, not left, may expire so soon.
TAKEN_SECONDS = 15 * 60.0

_keys = table(IdempotencyKey)

log = structlog.get_logger("integrations")


class InFlight(Conflict):
    message = "A call with this Idempotency-Key is under way."
    headers = {"Retry-After": "2"}


class OtherBody(Conflict):
    message = "This Idempotency-Key was used with another body."


class OutcomeUnknown(Conflict):
    """The call was sent, but neither an answer nor a refusal is stored."""

    message = (
        "The call with this Idempotency-Key was sent, but how it ended is not known. "
        "Look at what it has changed; to make it again, use another key."
    )

    def __init__(self) -> None:
        super().__init__(outcome="unknown")


class KeyLease:
    """The lease that one attempt at a call has on a user's key for an endpoint.

    Needs an app context.
    """

    def __init__(
        self,
        sealer: Sealer,
        user_id: str,
        endpoint: Endpoint,
        key: str,
        body: Any,
        note: CallNote | None = None,
        chat_id: str | None = None,
    ) -> None:
        self.holder = new_id("attempt")
        self._note, self._chat_id = note, chat_id
        self._sealer, self._endpoint = sealer, endpoint
        self._names = {"user_id": user_id, "endpoint": endpoint.name, "key": key}
        self._place = places.answer(user_id, endpoint.name, key)
        self._hash = hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()
        self._left = False

    def begin(self) -> str | None:
        """Return the stored answer's JSON, or None if this attempt has to make the call.

        Raises `Conflict`, `NotOpened`, and `Unauthorized` for a user who was just disabled or
        erased.
        """
        try:
            with write_transaction() as session:
                user_locks.lock(session, self._names["user_id"])
                row = session.execute(self._row().with_for_update()).one_or_none()
                stored = self._load_stored(row) if row else None
                if stored is None:
                    self._take(session, row)
                return stored
        except IntegrityError:
            raise InFlight() from None

    def wait_for_answer(self) -> str:
        """Return the stored answer's JSON, for a key whose call was sent before.

        If an attempt has the key, wait until it has stored its answer, or is known to be lost.
        Raises `Conflict`, `NotOpened`.
        """
        gives_up = time.monotonic() + PATIENCE_SECONDS
        while True:
            try:
                return self._read_answer()
            except InFlight:
                if time.monotonic() >= gives_up:
                    raise
            gevent.sleep(LOOK_SECONDS)

    def _read_answer(self) -> str:
        row = db.session.execute(self._row()).one_or_none()
        db.session.commit()
        stored = self._load_stored(row) if row else None
        if stored is None:
            raise OutcomeUnknown()
        return stored

    def leave(self) -> None:
        """Store that the call is sent. Call it before the first request. Raises `InFlight`."""
        if self._left:
            return
        with write_transaction() as session:
            left = update(_keys).where(self._mine()).returning(_keys.c.seq)
            times = {"left_at": current_time(), "held_until": from_now(LEASE_SECONDS)}
            left = left.values(**times, expires_at=from_now(KEPT_SECONDS))
            if session.execute(left).first() is None:
                raise InFlight()  # the lease has lapsed, and another attempt has the key
            if self._note:
                self._note.leave(session)
        self._left = True

    def seal_answer(self, answer: str) -> str:
        return self._sealer.seal(answer, self._place)

    def keep(self, session: Session, sealed: str) -> bool:
        """Store the answer: the key is done. Return False if another attempt has the key by now.

        If the key's chat was deleted meanwhile, the key expires and the answer is not stored.
        """
        done = update(_keys).where(self._mine())
        values = {"answer": sealed, "expires_at": from_now(KEPT_SECONDS)}
        row = session.execute(done.values(**values).returning(_keys.c.chat_id)).one_or_none()
        if row is None:
            return False
        if row.chat_id != self._chat_id:
            session.execute(done.values(answer=None, expires_at=current_time()))
        if self._note:
            self._note.end(session)
        return True

    def replace_answer(self, answer: str) -> None:
        """Store another answer for a key that is done, such as a job's result.

        During an outage the earlier answer stays, which has the job's id.
        """
        sealed = self.seal_answer(answer)
        try:
            with write_transaction() as session:
                self.keep(session, sealed)
        except SQLAlchemyError as error:
            db.session.rollback()
            log.warning("answer not replaced", error=type(error).__name__)

    def forget(self, session: Session) -> None:
        """Free the key, because the call has changed nothing.

        If another attempt has the key by now, the key and the note of its call stay.
        """
        freed = delete(_keys).where(self._mine(), _keys.c.answer.is_(None)).returning(_keys.c.seq)
        if session.execute(freed).first() is not None and self._note:
            self._note.withdraw(session)

    def give_up(self, session: Session) -> None:
        """End the attempt's lease, because the outcome of its call can no longer be learnt."""
        session.execute(update(_keys).where(self._mine()).values(held_until=current_time()))
        of_deleted_chat = _keys.c.chat_id.is_distinct_from(self._chat_id)
        session.execute(delete(_keys).where(self._mine(), of_deleted_chat))

    def _row(self) -> Select[Any]:
        """Return the statement for the key's row, with `expired` and `lapsed` by database time."""
        expired = (_keys.c.expires_at <= current_time()).label("expired")
        lapsed = (_keys.c.held_until <= current_time()).label("lapsed")
        return select(_keys, expired, lapsed).filter_by(**self._names)

    def _load_stored(self, row: Row[Any]) -> str | None:
        """Return the stored answer, None if a call may be made. Raises `Conflict`, `NotOpened`."""
        is_free = row.answer is None and row.lapsed and row.left_at is None
        if row.expired or is_free:
            return None
        if row.body_hash != self._hash:
            raise OtherBody()
        if row.answer is not None:
            return unseal(self._sealer, row.answer, self._place)
        if not row.lapsed:
            raise InFlight()
        if not self._endpoint.repeatable:
            raise OutcomeUnknown()
        return None

    def _take(self, session: Session, row: Row[Any] | None) -> None:
        values = {
            "chat_id": self._chat_id,
            "body_hash": self._hash,
            "answer": None,
            "holder": self.holder,
            "held_until": from_now(LEASE_SECONDS),
            "left_at": None,
            "expires_at": from_now(TAKEN_SECONDS),
        }
        if row is None:
            session.execute(insert(_keys).values(**self._names, **values))
        else:
            session.execute(update(_keys).where(_keys.c.seq == row.seq).values(**values))

    def _mine(self) -> Any:
        """Return the SQL condition for the key's row if this attempt has the key."""
        named = [_keys.c[name] == value for name, value in self._names.items()]
        return and_(*named, _keys.c.holder == self.holder)
