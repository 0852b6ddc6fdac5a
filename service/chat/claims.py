"""Claims: which turn is being answered, by which worker, until when.

A claim marks a user message whose turn runs. Its worker renews one lease for all its claims, so
that the claims and holds of a worker that was killed lapse within `LEASE_SECONDS`.
Source: contract section 5.
"""

import time
from datetime import timedelta
from typing import Any, cast

from gevent.lock import BoundedSemaphore
from sqlalchemy import (
    CursorResult,
    Delete,
    Select,
    Update,
    bindparam,
    delete,
    exists,
    insert,
    select,
    update,
)
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from service.chat.models import Claim, Lease
from service.chat.question import Question
from service.chat.running import Reason
from service.database import write_transaction
from service.errors import Conflict
from service.extensions import db, now, table

LEASE_SECONDS = 15
RENEW_SECONDS = 5


class LeaseKeeper:
    """This worker's lease; `id` stands in its claims and holds."""

    def __init__(self, lease_id: str) -> None:
        self.id = lease_id
        self._renewed = float("-inf")
        self._renewing = BoundedSemaphore(1)

    @property
    def due(self) -> bool:
        return time.monotonic() - self._renewed >= RENEW_SECONDS

    def keep(self) -> None:
        """Renew the lease, if it is time; in a transaction of its own, for what a refused turn
        rolls back would not be kept."""
        with self._renewing:
            if self.due:
                self._renew()

    def _renew(self) -> None:
        began, expires = time.monotonic(), now() + timedelta(seconds=LEASE_SECONDS)
        with write_transaction() as session:
            renewed = update(Lease).where(Lease.lease_id == self.id).values(expires_at=expires)
            if changed(session, renewed) == 0:
                session.execute(insert(Lease).values(lease_id=self.id, expires_at=expires))
        self._renewed = began


_claims, _leases = table(Claim), table(Lease)
_running = exists().where(
    _leases.c.lease_id == _claims.c.lease_id, _leases.c.expires_at > bindparam("moment")
)
DROP_LAPSED = delete(_claims).where(
    _claims.c.user_id == bindparam("owner"),
    _claims.c.user_message_id == bindparam("message"),
    ~_running,
)
CLAIM = insert(_claims)


def take(session: Session, question: Question, lease_id: str) -> None:
    """Claim the message for this turn. Raises `Conflict` while another turn has it."""
    connection = session.connection()
    asked = {"owner": question.caller.subject, "message": question.user_message_id}
    connection.execute(DROP_LAPSED, {**asked, "moment": now()})
    claim = {
        "turn_id": question.turn_id,
        "user_id": question.caller.subject,
        "user_message_id": question.user_message_id,
        "chat_id": question.chat_id,
        "lease_id": lease_id,
    }
    try:
        with connection.begin_nested():
            connection.execute(CLAIM, claim)
    except IntegrityError:
        raise AlreadyRunning() from None


class AlreadyRunning(Conflict):
    message = "This message is being answered."
    headers = {"Retry-After": "5"}


DROP = delete(_claims).where(_claims.c.turn_id == bindparam("turn"))


def drop(session: Session, turn_id: str) -> None:
    session.connection().execute(DROP, {"turn": turn_id})


def request_end(session: Session, chat_id: str, reason: Reason) -> bool:
    """Ask the workers that answer in this chat to end; whether any does."""
    running = exists().where(Lease.lease_id == Claim.lease_id, Lease.expires_at > now())
    asked = update(Claim).where(Claim.chat_id == chat_id, running).values(end_reason=reason)
    return bool(changed(session, asked))


def requested_ends(lease_id: str) -> dict[str, Reason]:
    """This worker's turns that somebody wants ended, by turn id."""
    statement = select(Claim.turn_id, Claim.end_reason).where(
        Claim.lease_id == lease_id, Claim.end_reason.is_not(None)
    )
    rows = db.session.execute(statement).all()
    db.session.commit()
    return {row.turn_id: row.end_reason for row in rows}


def alive() -> Select[str]:
    """The ids of the leases that run."""
    return select(Lease.lease_id).where(Lease.expires_at >= now())


def sweep(session: Session) -> int:
    """Forget lapsed leases and their claims; how many turns were lost."""
    lapsed = select(Lease.lease_id).where(Lease.expires_at < now())
    lost = changed(session, delete(Claim).where(Claim.lease_id.in_(lapsed)))
    session.execute(delete(Lease).where(Lease.expires_at < now()))
    return lost


def changed(session: Session, statement: Delete | Update) -> int:
    """Run a statement; how many rows it changed."""
    return cast("CursorResult[Any]", session.execute(statement)).rowcount
