"""The lease of this worker. Without it, the worker's claims and holds count as lost."""

import time

from gevent.lock import BoundedSemaphore
from sqlalchemy import insert, update

from service.app_keys import AppKey
from service.chat import claims
from service.chat.models import Lease
from service.database.access import write_transaction
from service.database.clock import from_now
from service.database.statements import count_changes

WORKER_LEASE = AppKey["WorkerLease"]("lease")
RENEW_SECONDS = 5


class WorkerLease:
    """This worker's lease; its claims and holds refer to it by `id`."""

    def __init__(self, lease_id: str) -> None:
        self.id = lease_id
        self._renewed = float("-inf")
        self._renewing = BoundedSemaphore(1)

    @property
    def is_due(self) -> bool:
        return time.monotonic() - self._renewed >= RENEW_SECONDS

    def renew_if_due(self) -> None:
        """Renew the lease in its own transaction: a refused turn rolls back its own."""
        with self._renewing:
            if self.is_due:
                self._renew()

    def _renew(self) -> None:
        began, expires = time.monotonic(), from_now(claims.LEASE_SECONDS)
        with write_transaction() as session:
            renewed = update(Lease).where(Lease.lease_id == self.id).values(expires_at=expires)
            if count_changes(session, renewed) == 0:
                session.execute(insert(Lease).values(lease_id=self.id, expires_at=expires))
        self._renewed = began
