"""Whether grants still work: what is known from the last tokens that were asked for.

A call asks its vendor with a token that is valid; whether the grant behind it still is shows when
the token is refreshed. So nothing is written for a call.
"""

from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from service.extensions import table
from service.integrations.models import Grant
from service.times import timestamp

_grants = table(Grant)


def health_of(grant: Grant) -> dict[str, Any]:
    """`failing` from the first refresh that has failed until one succeeds.

    `lastSuccess` is when the vendor has last given tokens. `failure` is `refused`, `unreachable`,
    `unreadable` or `no-refresh-token`.
    """
    since, last = grant.failing_since, grant.failed_at
    return {
        "state": "failing" if since else "working",
        "lastSuccess": timestamp(grant.updated_at),
        "failingSince": timestamp(since) if since else None,
        "lastFailure": timestamp(last) if since and last else None,
        "failure": grant.failure if since else None,
    }


def counts(session: Session) -> dict[str, dict[str, int]]:
    """How many users have connected each integration, and for how many that fails."""
    failing = func.count(_grants.c.failing_since)
    rows = select(_grants.c.integration, func.count().label("connected"), failing.label("failing"))
    return {
        row.integration: {"connected": row.connected, "failing": row.failing}
        for row in session.execute(rows.group_by(_grants.c.integration))
    }
