"""Statistics of endpoint calls in the last hours: by integration, and errors by kind.

At most the newest `NEWEST` calls are read. No content of a call is stored.
"""

from datetime import timedelta
from typing import Any

from sqlalchemy import Subquery, case, func, select

from service.activity.models import IntegrationCall
from service.extensions import db
from service.times import now, timestamp

NEWEST = 10_000
MOST_KINDS = 100
NO_CALLS = {"total": 0, "failed": 0, "refused": 0, "averageMs": None, "longestMs": None}


def by_integration(hours: int) -> dict[str, dict[str, Any]]:
    """Return how often each integration was called, with which outcomes, and for how long.

    `failed` counts calls with a status from 500, `refused` calls with a status from 400.
    """
    recent = _recent(hours)
    rows = db.session.execute(
        select(
            recent.c.integration,
            func.count().label("total"),
            func.sum(case((recent.c.status == "failed", 1), else_=0)).label("failed"),
            func.sum(case((recent.c.status == "refused", 1), else_=0)).label("refused"),
            func.avg(recent.c.ms).label("average"),
            func.max(recent.c.ms).label("longest"),
        ).group_by(recent.c.integration)
    )
    return {
        row.integration: {
            "total": row.total,
            "failed": row.failed,
            "refused": row.refused,
            "averageMs": round(row.average),
            "longestMs": row.longest,
        }
        for row in rows
    }


def errors(hours: int) -> dict[str, Any]:
    """Return the kinds of failed and refused calls, most frequent first."""
    recent = _recent(hours)
    total = db.session.scalar(select(func.count()).select_from(recent)) or 0
    columns = (recent.c.integration, recent.c.status, recent.c.error, recent.c.upstream_status)
    number = func.count().label("number")
    kinds = select(*columns, number, func.max(recent.c.created_at).label("last"))
    ended_badly = kinds.where(recent.c.status.in_(("failed", "refused"))).group_by(*columns)
    rows = db.session.execute(ended_badly.order_by(number.desc()).limit(MOST_KINDS))
    listed = [
        {
            "integration": row.integration,
            "status": row.status,
            "error": row.error,
            "upstreamStatus": row.upstream_status,
            "count": row.number,
            "lastAt": timestamp(row.last),
        }
        for row in rows
    ]
    return {"total": total, "isWhole": total < NEWEST, "kinds": listed}


def _recent(hours: int) -> Subquery:
    made = IntegrationCall.created_at
    recent = select(IntegrationCall).where(made >= now() - timedelta(hours=hours))
    return recent.order_by(made.desc()).limit(NEWEST).subquery()
