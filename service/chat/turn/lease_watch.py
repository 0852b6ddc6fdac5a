"""The leases that this worker has seen unrenewed for too long: the silent leases.

A lease can lapse while its worker lives: the database stopped for a while, or its clock was set. So
a worker takes a lapsed lease for lost only if it has watched the lease without a gap, and has seen
it unrenewed for twice the interval in which its owner renews it. After a gap, when this worker or
the database had stopped, the watch begins again. Intervals are measured on this worker's monotonic
clock. The database decides whether a lease has lapsed, in the statement that depends on it.
Source: the same rule as in Kubernetes' leader election (client-go, tools/leaderelection).
"""

import time

from sqlalchemy import select

from service.app_keys import AppKey
from service.chat.claims import has_lapsed
from service.chat.models import Lease
from service.chat.worker_lease import RENEW_SECONDS
from service.extensions import db

LEASE_WATCH = AppKey["LeaseWatch"]("lease_watch")
LOOK_SECONDS = 1.0
UNRENEWED_SECONDS = 2 * RENEW_SECONDS
GAP_SECONDS = RENEW_SECONDS  # between two looks; after a longer gap the watch begins again


class LeaseWatch:
    """This worker's watch of all leases. `look` needs an app context."""

    def __init__(self) -> None:
        self._seen: dict[str, tuple[object, float]] = {}  # its end, and when that was first seen
        self.lapsed: set[str] = set()
        self._looked = self._since = float("-inf")

    def look(self) -> None:
        """Look at all leases. Raises `SQLAlchemyError`."""
        rows = db.session.execute(select(Lease.lease_id, Lease.expires_at, has_lapsed())).all()
        db.session.commit()
        moment = time.monotonic()
        if moment - self._looked > GAP_SECONDS:
            self._seen, self._since = {}, moment
        earlier, self._seen = self._seen, {}
        for lease_id, ends, _ in rows:
            before = earlier.get(lease_id)
            self._seen[lease_id] = before if before and before[0] == ends else (ends, moment)
        self.lapsed = {lease_id for lease_id, _, over in rows if over}
        self._looked = moment

    @property
    def is_steady(self) -> bool:
        """Whether the database has answered for so long that every living owner has renewed."""
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
