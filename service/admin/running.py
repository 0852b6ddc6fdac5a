"""The running turns of all workers and their users, without their content."""

from typing import Any

from sqlalchemy import func, select

from service.chat import claims
from service.chat.models import Claim, Lease
from service.extensions import db
from service.times import timestamp
from service.upkeep.actions import acting

MOST_TURNS = 200


def turns() -> dict[str, Any]:
    """Return the oldest turns, at most `MOST_TURNS`, and the number of all."""
    live = select(Claim).join(Lease, Lease.lease_id == Claim.lease_id).where(~claims.has_lapsed())
    rows = db.session.scalars(live.order_by(Claim.began_at, Claim.turn_id).limit(MOST_TURNS))
    shown = [_describe(claim) for claim in rows]
    total = len(shown)
    if total == MOST_TURNS:
        total = db.session.scalar(live.with_only_columns(func.count())) or 0
    return {"turns": shown, "total": total}


def stop(by: str, turn_id: str) -> bool:
    """Ask the worker of a turn to end it, as its user may do; returns False if it does not run."""
    with acting(by) as act:
        users = claims.request_ends(act.session, Claim.turn_id == turn_id, "stop")
        for user in users:
            act.record("stop", user, {"turnId": turn_id})
    return bool(users)


def _describe(claim: Claim) -> dict[str, Any]:
    return {
        "turnId": claim.turn_id,
        "chatId": claim.chat_id,
        "subject": claim.user_id,
        "modelId": claim.model,
        "startedAt": claim.began_at and timestamp(claim.began_at),
        "worker": claim.lease_id,
        "ending": claim.end_reason is not None,
    }
