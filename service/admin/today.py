"""Numbers since midnight: the users who were active, and what was spent.

A day begins at midnight UTC. At most the newest `NEWEST` replies and calls are added up: `isWhole`
says whether these were all.
"""

from datetime import datetime
from typing import Any

from sqlalchemy import Select, Subquery, func, select, union

from service.activity.models import IntegrationCall
from service.auth.models import User
from service.billing.units import to_credits
from service.chat.models import Turn
from service.extensions import db
from service.times import now, timestamp

NEWEST = 10_000


def numbers() -> dict[str, Any]:
    midnight = now().replace(hour=0, minute=0, second=0, microsecond=0)
    turns, calls = _since(Turn, midnight), _since(IntegrationCall, midnight)
    replies, made = (db.session.execute(_sum_up(rows)).one() for rows in (turns, calls))
    active = union(select(turns.c.user_id), select(calls.c.user_id)).subquery()
    new = select(func.count()).where(User.created_at >= midnight)
    return {
        "since": timestamp(midnight),
        "users": db.session.scalar(select(func.count(User.seq))) or 0,
        "newUsers": db.session.scalar(new) or 0,
        "activeUsers": db.session.scalar(select(func.count()).select_from(active)) or 0,
        "turns": {"count": replies.number, "credits": to_credits(int(replies.amount))},
        "calls": {"count": made.number, "credits": to_credits(int(made.amount))},
        "isWhole": max(replies.number, made.number) < NEWEST,
    }


def _since(model: type[Turn] | type[IntegrationCall], moment: datetime) -> Subquery:
    """Select the newest rows by their numbers, because replies have no index by time."""
    newest = select(model).order_by(model.seq.desc()).limit(NEWEST).subquery()
    return select(newest).where(newest.c.created_at >= moment).subquery()


def _sum_up(rows: Subquery) -> Select[Any]:
    amount = func.coalesce(func.sum(rows.c.credits), 0).label("amount")
    return select(func.count().label("number"), amount).select_from(rows)
