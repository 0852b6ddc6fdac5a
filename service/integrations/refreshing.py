"""The lease of a grant's refresh: who may refresh its tokens, and when, by the database's clock.

A refresh runs under a lease that is longer than its deadline, with no transaction open.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, or_, select, update

from service.clock import current_time, from_now
from service.database import write_transaction
from service.extensions import db, table
from service.ids import new_id
from service.integrations.models import Grant

MARGIN = timedelta(seconds=60)  # before a token's end, or a quarter of its life, it is refreshed
LEASE = timedelta(seconds=20)  # longer than `authority.SECONDS`
COOL_DOWN = timedelta(seconds=2)  # after a refresh that failed

_grants = table(Grant)


@dataclass(frozen=True)
class Seen:
    """A grant as it was read, `at` the database's time."""

    grant: Grant
    at: datetime

    @property
    def is_due(self) -> bool:
        """Whether it is time for a refresh: a little before the end."""
        life = self.grant.expires_at - self.grant.updated_at
        return self.grant.expires_at - min(MARGIN, life / 4) <= self.at

    @property
    def serves(self) -> bool:
        """Whether its access token has not expired."""
        return self.grant.expires_at > self.at

    @property
    def is_leased(self) -> bool:
        until = self.grant.lease_until
        return until is not None and self.at < until <= self.at + 2 * LEASE

    def has_failed(self, began: datetime) -> bool:
        """Whether the refresh that we would wait for, or have just waited for, has failed."""
        failed = self.grant.failed_at
        return failed is not None and began - COOL_DOWN < failed <= self.at + COOL_DOWN


def read(user_id: str, integration: str) -> Seen | None:
    """The grant's row with the database's time. Needs an app context."""
    row = db.session.execute(
        select(Grant, current_time())
        .filter_by(user_id=user_id, integration=integration)
        .execution_options(populate_existing=True)
    ).one_or_none()
    db.session.commit()
    return Seen(*row) if row else None


def lease(seen: Seen) -> str | None:
    """The right to refresh this version, until the lease ends; None while somebody else has it.

    Not within `COOL_DOWN` after a failure. A lease that ends much later than any can, and a failure
    far in the future, are void: the clock was set back. A little later is no sign of that: a
    statement that has waited for the row goes by the time at which it began.
    """
    if seen.is_leased:
        return None  # saves a write for each that waits
    lease_id, seconds = new_id("lease"), LEASE.total_seconds()
    until, failed = _grants.c.lease_until, _grants.c.failed_at
    pause = COOL_DOWN.total_seconds()
    free = or_(until.is_(None), until < current_time(), until > from_now(2 * seconds))
    calm = or_(failed.is_(None), failed < from_now(-pause), failed > from_now(pause))
    mine = update(_grants).where(*same(seen.grant), free, calm)
    taken = mine.values(lease_id=lease_id, lease_until=from_now(seconds))
    with write_transaction() as session:
        return lease_id if session.execute(taken.returning(_grants.c.seq)).first() else None


def same(grant: Grant) -> tuple[ColumnElement[bool], ...]:
    """The grant's row, unless its tokens have been written since."""
    return _grants.c.seq == grant.seq, _grants.c.version == grant.version
