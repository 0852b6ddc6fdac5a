"""Claims: which turn is being answered, by which worker, until when.

A claim marks a user message whose turn runs. Its worker renews one lease for all its claims, so
that the claims and holds of a worker that was killed lapse within `LEASE_SECONDS`. A lease goes by
the database's clock. It is lost once it has lapsed and `watch.py` has found it silent.
Source: contract section 5.
"""

import time
from collections.abc import Collection
from typing import Any, NamedTuple, cast

from gevent.lock import BoundedSemaphore
from sqlalchemy import (
    ColumnElement,
    CursorResult,
    Delete,
    Select,
    Update,
    bindparam,
    delete,
    exists,
    insert,
    or_,
    select,
    update,
)
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from service.chat.models import Claim, Lease
from service.chat.question import Question
from service.chat.running import Reason
from service.clock import current_time, from_now
from service.database import write_transaction
from service.errors import Conflict
from service.extensions import db, table

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
        began, expires = time.monotonic(), from_now(LEASE_SECONDS)
        with write_transaction() as session:
            renewed = update(Lease).where(Lease.lease_id == self.id).values(expires_at=expires)
            if changed(session, renewed) == 0:
                session.execute(insert(Lease).values(lease_id=self.id, expires_at=expires))
        self._renewed = began


_claims, _leases = table(Claim), table(Lease)


def lapsed() -> ColumnElement[bool]:
    """Whether a lease was not renewed in time. A lease that ends later than any can has lapsed too:
    the database's clock was set back."""
    ends = _leases.c.expires_at
    return or_(ends < current_time(), ends > from_now(2 * LEASE_SECONDS))


_kept = exists().where(
    _leases.c.lease_id == _claims.c.lease_id,
    or_(_leases.c.lease_id.not_in(bindparam("silent", expanding=True)), ~lapsed()),
)
DROP_LOST = delete(_claims).where(
    _claims.c.user_id == bindparam("owner"),
    _claims.c.user_message_id == bindparam("message"),
    ~_kept,
)
CLAIM = insert(_claims)


def take(session: Session, question: Question, lease_id: str, silent: Collection[str]) -> None:
    """Claim the message for this turn. Raises `Conflict` while another turn has it.

    Claims without a lease are removed, and those whose lease has lapsed and is among the `silent`.
    """
    connection = session.connection()
    asked = {"owner": question.caller.subject, "message": question.user_message_id}
    connection.execute(DROP_LOST, {**asked, "silent": list(silent)})
    if not _insert(session, question, lease_id):
        raise AlreadyRunning()


def restore(session: Session, question: Question, lease_id: str) -> bool:
    """Claim again for a running turn whose claim was swept; False if another turn was faster."""
    return _insert(session, question, lease_id)


def _insert(session: Session, question: Question, lease_id: str) -> bool:
    claim = {
        "turn_id": question.turn_id,
        "user_id": question.caller.subject,
        "user_message_id": question.user_message_id,
        "chat_id": question.chat_id,
        "lease_id": lease_id,
    }
    connection = session.connection()
    try:
        with connection.begin_nested():
            connection.execute(CLAIM, claim)
    except IntegrityError:
        return False
    return True


class AlreadyRunning(Conflict):
    message = "This message is being answered."
    headers = {"Retry-After": "5"}


DROP = delete(_claims).where(_claims.c.turn_id == bindparam("turn"))


def drop(session: Session, turn_id: str) -> bool:
    """Remove the turn's claim; False if it was gone already."""
    return session.connection().execute(DROP, {"turn": turn_id}).rowcount > 0


def request_end(session: Session, chat_id: str, reason: Reason) -> bool:
    """Ask the workers that answer in this chat to end; whether any does."""
    running = exists().where(Lease.lease_id == Claim.lease_id, ~lapsed())
    asked = update(Claim).where(Claim.chat_id == chat_id, running).values(end_reason=reason)
    return bool(changed(session, asked))


class Held(NamedTuple):
    """A claim of this worker's; `end_reason` is set once its turn is asked to end."""

    turn_id: str
    user_id: str
    end_reason: Reason | None


def held_by(lease_id: str) -> dict[str, Held]:
    """The claims under a lease, by turn id. Needs an app context."""
    mine = select(Claim.turn_id, Claim.user_id, Claim.end_reason).where(Claim.lease_id == lease_id)
    rows = db.session.execute(mine).all()
    db.session.commit()
    return {
        row.turn_id: Held(row.turn_id, row.user_id, cast("Reason | None", row.end_reason))
        for row in rows
    }


def alive(silent: Collection[str]) -> Select[str]:
    """The ids of the leases that are not lost: not silent, or not lapsed."""
    return select(Lease.lease_id).where(or_(Lease.lease_id.not_in(silent), ~lapsed()))


def sweep(session: Session, silent: Collection[str]) -> int:
    """Delete lost leases with their claims, and claims without a lease; returns how many claims."""
    gone = changed(session, delete(Claim).where(Claim.lease_id.not_in(alive(silent))))
    session.execute(delete(Lease).where(Lease.lease_id.in_(silent), lapsed()))
    return gone


def changed(session: Session, statement: Delete | Update) -> int:
    """Run a statement; how many rows it changed."""
    return cast("CursorResult[Any]", session.execute(statement)).rowcount
