"""Report whether grants still work, according to their last refreshes.

A call asks its vendor with a valid token. Only a refresh of the token shows whether the grant is
still valid, so nothing is written for a call.
"""

from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from service.extensions import table
from service.integrations.models import Grant
from service.times import timestamp

_grants = table(Grant)


def health_of(grant: Grant) -> dict[str, Any]:
    """Return the state of a grant: `failing` from the first failed refresh until one succeeds.

    `lastSuccess` is the time when the vendor last gave tokens. `failure` is `refused`,
    `unreachable`, `unreadable` or `no-refresh-token`.
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
    """Return how many users have connected each integration, and how many connections fail."""
    failing = func.count(_grants.c.failing_since)
    rows = select(_grants.c.integration, func.count().label("connected"), failing.label("failing"))
    return {
        row.integration: {"connected": row.connected, "failing": row.failing}
        for row in session.execute(rows.group_by(_grants.c.integration))
    }
