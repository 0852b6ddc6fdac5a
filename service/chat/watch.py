"""The watch: which leases this worker has found silent.

A lease may lapse while its worker lives: the database stood still, or its clock was set. So a
lapsed lease is lost only for a worker that has looked at it without a gap and has seen it unrenewed
for twice the interval in which its owner renews it. After a gap, because this worker or the
database stood still, the watch begins anew. It counts on this worker's monotonic clock. Whether a
lease has lapsed is a question for the database, asked in the statement that depends on it.
Source: the same rule as in Kubernetes' leader election (client-go, tools/leaderelection).
"""

import time

from sqlalchemy import select

from service.chat.claims import RENEW_SECONDS, lapsed
from service.chat.models import Lease
from service.extensions import db

LOOK_SECONDS = 1.0
UNRENEWED_SECONDS = 2 * RENEW_SECONDS
GAP_SECONDS = RENEW_SECONDS  # between two looks; after a longer gap the watch begins anew


class Watch:
    """This worker's watch. `look` needs an app context."""

    def __init__(self) -> None:
        self._seen: dict[str, tuple[object, float]] = {}  # lease: its end, first seen when
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
        """Whether the database has answered for long enough that every living owner has renewed."""
        return self._looked - self._since >= UNRENEWED_SECONDS and not self._is_late

    @property
    def silent(self) -> set[str]:
        """The ids of the leases that were seen unrenewed for `UNRENEWED_SECONDS`."""
        if self._is_late:
            return set()
        long_ago = self._looked - UNRENEWED_SECONDS
        return {lease_id for lease_id, (_, since) in self._seen.items() if since <= long_ago}

    @property
    def _is_late(self) -> bool:
        return time.monotonic() - self._looked > GAP_SECONDS
