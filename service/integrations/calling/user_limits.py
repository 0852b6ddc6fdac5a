"""Limit how often a user may call an endpoint, counted over all workers.

Source: docs/contract.md, section 10.18.
"""

import math

from sqlalchemy import case, delete, or_, select, tuple_
from sqlalchemy.orm import Session

from service.auth import user_locks
from service.database.access import write_transaction
from service.database.clock import current_time, from_now, microseconds
from service.database.upsert import insert_into
from service.extensions import table
from service.integrations.declare.endpoint import Endpoint
from service.integrations.models import CountedCalls
from service.web.errors import RateLimited

BATCH = 1000  # rows of one transaction

_counts = table(CountedCalls)
_left = microseconds(_counts.c.ends_at) - microseconds(current_time())


def count(user_id: str, endpoint: Endpoint) -> None:
    """Count a call that is about to be made, if the endpoint limits its users.

    Needs an app context. Raises `RateLimited`, and `Unauthorized` for a user who was just disabled
    or erased.
    """
    limit = endpoint.per_user
    if limit is None:
        return
    names = {"user_id": user_id, "endpoint": endpoint.name}
    fresh = {"calls": 1, "ends_at": from_now(limit.seconds)}
    has_ended = _counts.c.ends_at <= current_time()
    again = {
        "calls": case((has_ended, 1), else_=_counts.c.calls + 1),
        "ends_at": case((has_ended, from_now(limit.seconds)), else_=_counts.c.ends_at),
    }
    with write_transaction() as session:
        user_locks.lock(session, user_id)
        counted = (
            insert_into(session, _counts)
            .values(**names, **fresh)
            .on_conflict_do_update(
                index_elements=[_counts.c.user_id, _counts.c.endpoint],
                set_=again,
                where=or_(has_ended, _counts.c.calls < limit.calls),
            )
        )
        if session.execute(counted.returning(_counts.c.calls)).first() is None:
            raise _refusal(session.scalar(select(_left).filter_by(**names)) or 0)


def _refusal(left: int) -> RateLimited:
    """Return the error for calls until the window ends, in `left` microseconds."""
    error = RateLimited("Your limit of calls of this endpoint is reached. Please wait.")
    error.headers = {"Retry-After": str(max(math.ceil(left / 1_000_000), 1))}
    return error


def sweep(session: Session) -> None:
    """Delete a batch of ended windows, except those that another worker is deleting."""
    ended = select(_counts.c.user_id, _counts.c.endpoint).where(_counts.c.ends_at <= current_time())
    rows = session.execute(ended.limit(BATCH).with_for_update(skip_locked=True)).all()
    session.execute(delete(_counts).where(tuple_(_counts.c.user_id, _counts.c.endpoint).in_(rows)))
