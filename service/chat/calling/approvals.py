"""The user's decisions about tool calls: requested, decided, expired.

A waiting call has a row, so that any worker can receive the decision. A decision is stored before
it takes effect. It is valid only while its turn runs: after a crash it is void. A decision for the
whole chat is also valid in later turns, but not in the next try of a message whose turn was lost.
Source: docs/contract.md, section 14.2.
"""

from collections.abc import Collection
from datetime import timedelta
from typing import Any, Literal

from sqlalchemy import (
    ColumnElement,
    and_,
    bindparam,
    delete,
    exists,
    func,
    insert,
    or_,
    select,
    update,
)
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from service.auth.users import Caller
from service.billing.units import to_micro_credits
from service.chat.claims import ChatDeleted, has_lapsed
from service.chat.models import Approval, Claim, Lease, Turn
from service.chat.stream.parts import ASKED, EXPIRED
from service.chat.tools.requirements import NeededApproval
from service.chat.tools.tool import ToolContext
from service.database.clock import current_time, from_now
from service.database.locks import lock_name
from service.database.statements import count_changes
from service.extensions import table
from service.times import now, timestamp
from service.web.errors import Conflict, NotFound

Decision = Literal["once", "chat", "deny"]
STATES = {"once": "once", "chat": "chat", "deny": "denied"}
CHAT_SECONDS = 24 * 3600  # for which the decision "chat" is valid
KEPT_SECONDS = CHAT_SECONDS  # afterwards no decision is valid

_approvals, _turns = table(Approval), table(Turn)


class Decided(Conflict):
    message = "This was decided already."


def one_at_a_time(session: Session, chat_id: str) -> None:
    """Lock the approvals of a chat, until this transaction ends.

    Without the lock, a new call and a decision for the whole chat could miss each other.
    """
    lock_name(session.connection(), f"approvals {chat_id}")


def holds_in_chat(session: Session, context: ToolContext, needed: NeededApproval) -> bool:
    """Return whether the user has allowed this endpoint in the whole chat, at this price or more.

    A decision of an earlier try of the same message does not count.
    """
    allowed = select(_approvals.c.call_id).where(
        _approvals.c.chat_id == context.chat_id,
        _approvals.c.user_id == context.caller.subject,
        _approvals.c.endpoint == needed.endpoint,
        _approvals.c.state == "chat",
        _approvals.c.credits >= to_micro_credits(needed.credits),
        _approvals.c.created_at > from_now(-CHAT_SECONDS),
        ~_is_of_earlier_try(context),
    )
    return session.scalar(allowed.limit(1)) is not None


def _is_of_earlier_try(context: ToolContext) -> ColumnElement[bool]:
    """Match approvals of another turn that tried to answer this message and left no rows.

    A release before migration 0033 did not store the message.
    """
    return and_(
        func.coalesce(_approvals.c.user_message_id, "") == context.user_message_id,
        _approvals.c.turn_id != context.turn_id,
        ~exists().where(_turns.c.turn_id == _approvals.c.turn_id),
    )


def ask(
    session: Session, context: ToolContext, needed: NeededApproval, seconds: float
) -> dict[str, Any]:
    """Store a call that waits for its user; returns the data of the part to show.

    Raises `ChatDeleted` if the chat was deleted, which the turn's own worker may not know yet.
    """
    shown = {
        "toolCallId": context.call_id,
        "endpoint": needed.endpoint,
        "summary": needed.summary,
        "body": needed.body,
        "credits": needed.credits,
        "payer": needed.paid_by,
        "expiresAt": timestamp(now() + timedelta(seconds=seconds)),
    }
    row = {
        "call_id": context.call_id,
        "turn_id": context.turn_id,
        "chat_id": context.chat_id,
        "user_id": context.caller.subject,
        "user_message_id": context.user_message_id,
        "endpoint": needed.endpoint,
        "credits": to_micro_credits(needed.credits),
        "state": ASKED,
        "shown": shown,
        "expires_at": from_now(seconds),
        "created_at": current_time(),
    }
    try:
        session.execute(insert(_approvals).values(**row))
    except IntegrityError:
        raise ChatDeleted() from None
    return shown


def decide(
    session: Session, caller: Caller, chat_id: str, call_id: str, decision: Decision
) -> dict[str, Any]:
    """Store a decision; returns the data of the part as it is now.

    The decision "chat" also decides the chat's other calls that wait for the same endpoint.
    Raises `NotFound` if no call of this id waits for the caller, and `Decided`.
    """
    mine = (
        _approvals.c.call_id == call_id,
        _approvals.c.chat_id == chat_id,
        _approvals.c.user_id == caller.subject,
    )
    if decision == "chat":
        one_at_a_time(session, chat_id)
    decided = update(_approvals).where(*mine, *_waits()).values(state=STATES[decision])
    row = session.execute(decided.returning(_approvals)).first()
    if row is not None:
        if decision == "chat":
            _allow_likewise(session, row)
        return {**row.shown, "state": row.state}
    is_decided = _approvals.c.state.not_in((ASKED, EXPIRED))
    if session.scalar(select(_approvals.c.call_id).where(*mine, is_decided)):
        raise Decided()
    raise NotFound()


def _waits() -> tuple[Any, ...]:
    """Match calls that still wait: not decided, not expired, and their turn is running."""
    runs = exists().where(
        Claim.turn_id == _approvals.c.turn_id, Lease.lease_id == Claim.lease_id, ~has_lapsed()
    )
    return (_approvals.c.state == ASKED, _approvals.c.expires_at > current_time(), runs)


def _allow_likewise(session: Session, allowed: Any) -> None:
    """Allow the waiting calls of the same chat and endpoint, at the same price or less.

    The workers of these calls find the decision. A call that another transaction is deciding at
    this moment is skipped.
    """
    beside = select(_approvals.c.call_id).where(
        _approvals.c.chat_id == allowed.chat_id,
        _approvals.c.user_id == allowed.user_id,
        _approvals.c.endpoint == allowed.endpoint,
        _approvals.c.credits <= allowed.credits,
        *_waits(),
    )
    free = beside.with_for_update(skip_locked=True)
    session.execute(
        update(_approvals).where(_approvals.c.call_id.in_(free)).values(state=allowed.state)
    )


def expire(session: Session, call_id: str) -> str:
    """End the wait for a decision; returns the state, which may be a decision made just now.

    A decision is void if the turn has no claim any more: its worker was suspended, and another turn
    answers the message and has perhaps asked again. The shown text is deleted, because the message
    has it.
    """
    this = _approvals.c.call_id == call_id
    is_claimed = exists().where(Claim.turn_id == _approvals.c.turn_id)
    is_void = or_(_approvals.c.state == ASKED, ~is_claimed)
    session.execute(update(_approvals).where(this, is_void).values(state=EXPIRED))
    ended = update(_approvals).where(this).values(shown=None).returning(_approvals.c.state)
    return session.scalar(ended) or EXPIRED


_DECIDED = select(_approvals.c.call_id).where(
    _approvals.c.call_id.in_(bindparam("calls", expanding=True)), _approvals.c.state != ASKED
)


def list_decided(session: Session, calls: Collection[str]) -> list[str]:
    """Return the calls that do not wait any more."""
    return list(session.scalars(_DECIDED, {"calls": list(calls)}))


def sweep(session: Session) -> int:
    """Delete rows that have no meaning any more; returns how many.

    The shown text is deleted as soon as nobody can decide any more. A turn that was interrupted or
    killed has left it.
    """
    over = (_approvals.c.expires_at < current_time(), _approvals.c.shown.is_not(None))
    session.execute(update(_approvals).where(*over).values(shown=None))
    old = _approvals.c.created_at < from_now(-KEPT_SECONDS)
    return count_changes(session, delete(_approvals).where(old))
