"""Claims: which user messages are being answered, and by which worker.

A claim marks a user message whose turn is running. A worker renews one lease for all its claims, so
the claims and holds of a killed worker lapse within `LEASE_SECONDS`. A lease is measured on the
database's clock. It is lost when it has lapsed and `turn/lease_watch.py` has found it silent.
Source: docs/contract.md, section 5.14.
"""

from collections.abc import Collection
from typing import Literal, NamedTuple, cast

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    and_,
    bindparam,
    delete,
    exists,
    func,
    or_,
    select,
    update,
)
from sqlalchemy.orm import Session

from service.chat.models import Claim, Lease
from service.chat.question import Question
from service.database.clock import current_time, from_now
from service.database.prepared import Prepared, StatementReply
from service.database.statements import Statements, count_changes
from service.database.upsert import InsertIfAbsent
from service.extensions import db, table
from service.web.errors import Conflict, NotFound

LEASE_SECONDS = 15
WATCH_SECONDS = 6  # readers in other workers renew their request earlier

# Why a turn ends early: "overtaken" if another turn has claimed or answered its message. Through a
# claim, another process requests only "stop" and "deleted".
EndReason = Literal["gone", "stop", "drain", "deleted", "overtaken"]

_claims, _leases = table(Claim), table(Lease)


def has_lapsed() -> ColumnElement[bool]:
    """Match leases that were not renewed in time.

    A lease that ends later than possible has lapsed too, because the database's clock was set back.
    """
    ends = _leases.c.expires_at
    return or_(ends < current_time(), ends > from_now(2 * LEASE_SECONDS))


_kept = exists().where(
    _leases.c.lease_id == _claims.c.lease_id,
    or_(_leases.c.lease_id.not_in(bindparam("silent", expanding=True)), ~has_lapsed()),
)
_of_message = and_(
    _claims.c.user_id == bindparam("owner"), _claims.c.user_message_id == bindparam("message")
)
DROP_LOST = delete(_claims).where(
    or_(_of_message, _claims.c.replaced_chat == bindparam("replaced")), ~_kept
)
FIND = select(_claims.c.turn_id).where(_of_message, _claims.c.chat_id == bindparam("chat"))
COUNT = select(func.count()).where(_claims.c.user_id == bindparam("owner"))
CLAIM = InsertIfAbsent(_claims, began_at=current_time())


def send_claim(session: Statements, question: Question, lease_id: str) -> StatementReply:
    """Claim the message for this turn, if it is free. Pass the reply to `is_ours`."""
    claim = {
        "turn_id": question.turn_id,
        "user_id": question.caller.subject,
        "user_message_id": question.user_message_id,
        "chat_id": question.chat_id,
        "lease_id": lease_id,
        "replaced_chat": question.chat_id if question.replaces else None,
        "model": question.model.id,
        "assistant_message_id": question.assistant_message_id,
    }
    return CLAIM.send(session.connection(), claim)


def is_ours(reply: StatementReply) -> bool:
    """Return whether `send_claim` has claimed the message.

    False if another turn has claimed it, or if both turns replace messages in the same chat.
    """
    return reply.count == 1


def take_over(
    session: Statements, question: Question, lease_id: str, silent: Collection[str]
) -> bool:
    """Remove lost claims that block this one, then claim the message for this turn.

    A claim is lost if its lease is gone, or has lapsed and is in `silent`. Returns False if another
    turn's claim remains.
    """
    message = {"owner": question.caller.subject, "message": question.user_message_id}
    replaced = question.chat_id if question.replaces else None
    lost = {**message, "replaced": replaced, "silent": list(silent)}
    session.connection().execute(DROP_LOST, lost)
    return is_ours(send_claim(session, question, lease_id))


def exists_for(subject: str, chat_id: str, message_id: str) -> bool:
    """Return whether there is a claim on this message, even a lost one."""
    keys = {"owner": subject, "message": message_id, "chat": chat_id}
    return db.session.scalar(FIND, keys) is not None


def count_of(subject: str) -> int:
    """Return how many messages of a user are claimed. Needs an app context."""
    return db.session.scalar(COUNT, {"owner": subject}) or 0


class AlreadyRunning(Conflict):
    message = "This message is being answered."
    headers = {"Retry-After": "5"}


class ChatDeleted(NotFound):
    message = "This chat has been deleted."


class Dropped(NamedTuple):
    """The result of removing a claim.

    `is_found`: whether there was a claim. `was_watched`: whether readers in other workers have
    requested the turn's chunks, perhaps after its worker last looked.
    """

    is_found: bool
    was_watched: bool


_this = _claims.c.turn_id == bindparam("turn")
DROP = Prepared(delete(_claims).where(_this).returning(_claims.c.watched_until))
FIND_TURN = Prepared(select(_claims.c.turn_id).where(_this))


def has_claim(connection: Connection, turn_id: str) -> bool:
    """Return whether the turn's message is claimed for this turn."""
    return FIND_TURN.row(connection, {"turn": turn_id}) is not None


def drop(session: Session, turn_id: str) -> Dropped:
    """Remove the turn's claim."""
    return read_dropped(send_drop(session, turn_id))


def send_drop(session: Statements, turn_id: str) -> StatementReply:
    return DROP.send(session.connection(), {"turn": turn_id})


def read_dropped(answer: StatementReply) -> Dropped:
    row = answer.row
    return Dropped(row is not None, row is not None and row.watched_until is not None)


def request_end(session: Session, chat_id: str, reason: EndReason) -> bool:
    """Ask the workers to end their turns in this chat; returns whether there are any."""
    return bool(request_ends(session, Claim.chat_id == chat_id, reason))


def request_ends(session: Session, which: ColumnElement[bool], reason: EndReason) -> list[str]:
    """Ask the workers to end these turns; returns the users of the running ones."""
    running = exists().where(Lease.lease_id == Claim.lease_id, ~has_lapsed())
    which_run = select(Claim.turn_id).where(which, running).order_by(Claim.turn_id)
    locked = which_run.with_for_update(key_share=True)  # against deadlocks
    turns = session.scalars(locked).all()
    request = update(Claim).where(Claim.turn_id.in_(turns)).values(end_reason=reason)
    return list(session.scalars(request.returning(Claim.user_id)))


_live = exists().where(_leases.c.lease_id == _claims.c.lease_id, ~has_lapsed())
FIND_LIVE = select(_claims.c.turn_id).where(_of_message, _live)
RUNNING = (
    select(_claims.c.turn_id, _claims.c.assistant_message_id)
    .where(_claims.c.chat_id == bindparam("chat"), _claims.c.user_id == bindparam("owner"), _live)
    .where(_claims.c.began_at.is_not(None))  # an older release publishes nothing
    .order_by(_claims.c.began_at.desc())
)


def is_answered(subject: str, message_id: str) -> bool:
    """Return whether a turn is answering this message now, in any chat and any worker."""
    return db.session.scalar(FIND_LIVE, {"owner": subject, "message": message_id}) is not None


def running(session: Session, owner: str, chat_id: str) -> dict[str, str | None]:
    """Return by turn id the replies' ids of the turns that run in a chat, the newest first."""
    return dict(session.execute(RUNNING, {"chat": chat_id, "owner": owner}).all())


def watch(session: Session, turn_ids: Collection[str]) -> set[str]:
    """Ask the workers of these turns to publish their chunks for `WATCH_SECONDS`.

    Returns the turns that still run. If there are several, those that are locked now may be
    missing.
    """
    wanted = select(_claims.c.turn_id).where(_claims.c.turn_id.in_(turn_ids), _live)
    if len(turn_ids) > 1:  # an erasure locks several too, in another order
        wanted = wanted.with_for_update(key_share=True, skip_locked=True)
    watched = update(_claims).where(_claims.c.turn_id.in_(wanted))
    watched = watched.values(watched_until=from_now(WATCH_SECONDS))
    return set(session.scalars(watched.returning(_claims.c.turn_id)))


class RunningClaim(NamedTuple):
    """A claim of this worker. `end_reason` is set when its turn is asked to end.

    `is_watched` is true while readers in other workers want the turn's chunks.
    """

    turn_id: str
    user_id: str
    end_reason: EndReason | None
    is_watched: bool


def claims_under(lease_id: str) -> dict[str, RunningClaim]:
    """Return the claims under a lease, by turn id. Needs an app context."""
    watched = func.coalesce(_claims.c.watched_until > current_time(), False)
    of_claim = (_claims.c.turn_id, _claims.c.user_id, _claims.c.end_reason, watched)
    rows = db.session.execute(select(*of_claim).where(_claims.c.lease_id == lease_id)).all()
    db.session.commit()
    return {
        turn_id: RunningClaim(
            turn_id, user_id, cast("EndReason | None", end_reason), bool(is_watched)
        )
        for turn_id, user_id, end_reason, is_watched in rows
    }


def live_leases(silent: Collection[str]) -> Select[str]:
    """Select the ids of the leases that are not lost: not silent, or not lapsed."""
    return select(Lease.lease_id).where(or_(Lease.lease_id.not_in(silent), ~has_lapsed()))


def sweep(session: Session, silent: Collection[str]) -> int:
    """Delete lost leases and their claims, and claims without a lease; returns how many claims."""
    lost = select(Claim.turn_id).where(Claim.lease_id.not_in(live_leases(silent)))
    unlocked = lost.with_for_update(skip_locked=True)  # an erasure locks several too
    count = count_changes(session, delete(Claim).where(Claim.turn_id.in_(unlocked)))
    session.execute(delete(Lease).where(Lease.lease_id.in_(silent), has_lapsed()))
    return count
