"""Which leases are silent, as this worker sees it: a worker that is silent too long is dead.

A lease may lapse while its worker lives: the database stood still, or its clock was set. So one
that has lapsed is lost only for a worker that has looked at it all the time and has seen it
unrenewed for twice as long as its owner takes to renew it. Whoever was away, or found the database
away, begins to look anew. That time is counted on this worker's monotonic clock; whether a lease
has lapsed is asked of the database where it matters.
Source: the same rule as in Kubernetes' leader election (client-go, tools/leaderelection).
"""

import time

from sqlalchemy import select

from service.chat.claims import RENEW_SECONDS, lapsed
from service.chat.models import Lease
from service.extensions import db

LOOK_SECONDS = 1.0
UNRENEWED_SECONDS = 2 * RENEW_SECONDS
GAP_SECONDS = RENEW_SECONDS  # between two looks; after a longer one, owners get their time anew


class Watch:
    """`look` needs an app context."""

    def __init__(self) -> None:
        self._seen: dict[str, tuple[object, float]] = {}  # lease: when it ends, since when we know
        self.lapsed: set[str] = set()
        self._looked = self._since = float("-inf")

    def look(self) -> None:
        """Look at all leases. Raises `SQLAlchemyError`."""
        rows = db.session.execute(select(Lease.lease_id, Lease.expires_at, lapsed())).all()
        db.session.commit()
        moment = time.monotonic()
        if moment - self._looked > GAP_SECONDS:
            self._seen, self._since = {}, moment
        known, self._seen = self._seen, {}
        for lease_id, ends, _ in rows:
            before = known.get(lease_id)
            self._seen[lease_id] = before if before and before[0] == ends else (ends, moment)
        self.lapsed = {lease_id for lease_id, _, has_lapsed in rows if has_lapsed}
        self._looked = moment

    @property
    def is_steady(self) -> bool:
        """Whether the database has answered us long enough for every owner to have renewed."""
        return self._looked - self._since >= UNRENEWED_SECONDS and not self._is_late

    @property
    def silent(self) -> set[str]:
        """The ids of leases that were not renewed all the while."""
        if self._is_late:
            return set()
        long_ago = self._looked - UNRENEWED_SECONDS
        return {lease_id for lease_id, (_, since) in self._seen.items() if since <= long_ago}

    @property
    def _is_late(self) -> bool:
        return time.monotonic() - self._looked > GAP_SECONDS
