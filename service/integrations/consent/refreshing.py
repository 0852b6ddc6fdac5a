"""Leases of refreshes: one call at a time refreshes a grant's tokens.

A refresh runs under a lease that is longer than its deadline, with no transaction open. All times
are the database's.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, or_, select, update

from service.database.access import write_transaction
from service.database.clock import current_time, from_now
from service.extensions import db, table
from service.ids import new_id
from service.integrations.models import Grant

MARGIN = timedelta(seconds=60)  # before a token's end, or a quarter of its life, it is refreshed
LEASE = timedelta(seconds=20)  # longer than `authority.SECONDS`
COOL_DOWN = timedelta(seconds=2)  # after a refresh that failed

_grants = table(Grant)


@dataclass(frozen=True)
class GrantSnapshot:
    """A grant as it was read; `at` is the database's time then."""

    grant: Grant
    at: datetime

    @property
    def is_due(self) -> bool:
        """Whether it is time for a refresh: a little before the end."""
        life = self.grant.expires_at - self.grant.updated_at
        return self.grant.expires_at - min(MARGIN, life / 4) <= self.at

    @property
    def is_usable(self) -> bool:
        """Whether its access token has not expired."""
        return self.grant.expires_at > self.at

    @property
    def is_leased(self) -> bool:
        until = self.grant.lease_until
        return until is not None and self.at < until <= self.at + 2 * LEASE

    def has_failed(self, began: datetime) -> bool:
        """Whether a refresh has failed since a wait began, or shortly before."""
        failed_at = self.grant.failed_at
        return failed_at is not None and began - COOL_DOWN < failed_at <= self.at + COOL_DOWN


def read(user_id: str, integration: str) -> GrantSnapshot | None:
    """The grant's row with the database's time. Needs an app context."""
    row = db.session.execute(
        select(Grant, current_time())
        .filter_by(user_id=user_id, integration=integration)
        .execution_options(populate_existing=True)
    ).one_or_none()
    db.session.commit()
    return GrantSnapshot(*row) if row else None


def lease(snapshot: GrantSnapshot) -> str | None:
    """The id of a new lease, which allows to refresh this version; None while there is another one.

    None also within `COOL_DOWN` after a failure. A lease that ends much later than any can, and a
    failure far in the future, do not count: the clock was set back. Times that are a little late do
    count: a statement that has waited for the row uses the time at which it began.
    """
    if snapshot.is_leased:
        return None  # saves a write for each call that waits
    lease_id, seconds = new_id("lease"), LEASE.total_seconds()
    until, failed = _grants.c.lease_until, _grants.c.failed_at
    pause = COOL_DOWN.total_seconds()
    free = or_(until.is_(None), until < current_time(), until > from_now(2 * seconds))
    calm = or_(failed.is_(None), failed < from_now(-pause), failed > from_now(pause))
    mine = update(_grants).where(*is_unchanged(snapshot.grant), free, calm)
    taken = mine.values(lease_id=lease_id, lease_until=from_now(seconds))
    with write_transaction() as session:
        return lease_id if session.execute(taken.returning(_grants.c.seq)).first() else None


def is_unchanged(grant: Grant) -> tuple[ColumnElement[bool], ...]:
    """The condition for the grant's row, unless its tokens have been written since."""
    return _grants.c.seq == grant.seq, _grants.c.version == grant.version
