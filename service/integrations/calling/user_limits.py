"""Limit how often a user may call an endpoint, and a user's jobs, counted over all workers.

Source: docs/contract.md, sections 10.18 and 17.1.
"""

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import structlog
from flask import Flask
from sqlalchemy import case, delete, or_, select, tuple_, update
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from service.app_keys import APP_SETTINGS
from service.auth import user_locks
from service.auth.users import OWNER
from service.database.access import write_transaction
from service.database.clock import current_time, from_now, has_passed, microseconds
from service.database.upsert import insert_into
from service.extensions import db, table
from service.integrations.calling import job_rows
from service.integrations.calling.sending import CallsStopped
from service.integrations.declare.endpoint import Endpoint
from service.integrations.declare.limit import Limit
from service.integrations.models import CountedCalls
from service.web.errors import RateLimited

BATCH = 1000  # rows of one transaction

log = structlog.get_logger("integrations")

_counts = table(CountedCalls)
_left = microseconds(_counts.c.ends_at) - microseconds(current_time())


class UserLimits:
    """The limits of a user's calls. The owner has none: a gateway's users call in the owner's name.

    Such a gateway counts the calls of each user itself.
    """

    def __init__(self, app: Flask) -> None:
        self._app = app

    @contextmanager
    def counting(self, user_id: str, endpoint: Endpoint) -> Iterator[None]:
        """Count the call that the block makes, if the endpoint limits its users.

        A call does not count if it would start one job too many, or if an open breaker refuses it
        before a vendor is asked. Needs an app context. Raises `TooManyJobs`, `RateLimited`, and
        `Unauthorized` for a user who was just disabled or erased.
        """
        if user_id == OWNER.of(self._app).subject:
            yield
            return
        if endpoint.job:
            job_rows.check_room(db.session(), user_id, APP_SETTINGS.of(self._app).jobs_at_once)
        with _counting(user_id, endpoint):
            yield


@contextmanager
def _counting(user_id: str, endpoint: Endpoint) -> Iterator[None]:
    limit = endpoint.per_user
    if limit is None:
        yield
        return
    names = {"user_id": user_id, "endpoint": endpoint.name}
    _count(names, limit)
    try:
        yield
    except CallsStopped as error:
        if not error.has_asked:
            _uncount(names)
        raise


def _count(names: Mapping[str, str], limit: Limit) -> None:
    fresh = {"calls": 1, "ends_at": from_now(limit.seconds)}
    has_ended = has_passed(_counts.c.ends_at, limit.seconds)
    again = {
        "calls": case((has_ended, 1), else_=_counts.c.calls + 1),
        "ends_at": case((has_ended, from_now(limit.seconds)), else_=_counts.c.ends_at),
    }
    with write_transaction() as session:
        user_locks.lock(session, names["user_id"])
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


def _uncount(names: Mapping[str, str]) -> None:
    """Take a call out of its window. A database error is only logged."""
    mine = update(_counts).filter_by(**names).where(_counts.c.calls > 0)
    try:
        with write_transaction() as session:
            session.execute(mine.values(calls=_counts.c.calls - 1))
    except SQLAlchemyError as error:
        log.warning("refused call counted", error=type(error).__name__)


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
