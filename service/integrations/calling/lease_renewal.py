"""Renew the leases on idempotency keys, and store the results of calls after an outage.

A key is renewed while its call runs, so that it expires soon after its worker is lost. If the
database is unavailable when a call ends, charge and answer are stored after the outage.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import gevent
import structlog
from flask import Flask
from sqlalchemy.exc import SQLAlchemyError

from service.background import BackgroundWork
from service.database.access import background_context, background_transaction, is_outage
from service.integrations.calling import key_rows
from service.integrations.calling.idempotency import KeyLease
from service.lifecycle import LIFECYCLE
from service.observing.measures import KEYS_IN_FLIGHT, WRITES_WAITING, keys_not_renewed
from service.observing.sampler import SAMPLER
from service.web.errors import ServiceError

RENEW_SECONDS = 5.0  # a third of a lease
RETRY_SECONDS = 1.0
PATIENCE_SECONDS = 300.0  # for which a write waits for the database
MOST_WRITES = 50  # that may wait at the same time: each may hold some megabytes

log = structlog.get_logger("integrations")


@dataclass(frozen=True)
class LateWrite:
    """A write that failed in an outage. It is tried until `gives_up`, in monotonic time."""

    holder: str
    store: Callable[[], None]
    gives_up: float


class LeaseRenewal(BackgroundWork):
    """Renews leases and stores late writes. It works only while there are any."""

    def __init__(self, app: Flask) -> None:
        self._app = app
        self._holders: set[str] = set()
        self._writes: list[LateWrite] = []
        SAMPLER.of(app).add(KEYS_IN_FLIGHT, lambda: len(self._holders))
        SAMPLER.of(app).add(WRITES_WAITING, lambda: len(self._writes))
        LIFECYCLE.of(app).ends_after(lambda: not self._writes)

    @contextmanager
    def renewing(self, lease: KeyLease) -> Iterator[None]:
        """Renew the lease while the block runs."""
        self._holders.add(lease.holder)
        self.wake()
        try:
            yield
        finally:
            if not any(write.holder == lease.holder for write in self._writes):
                self._holders.discard(lease.holder)

    def store_later(self, holder: str, store: Callable[[], None]) -> bool:
        """Store after the outage. Return False if too many writes wait already.

        `holder` is the holder of the lease, which is renewed meanwhile, or a name for the write.
        The writes of one holder are stored in their order.
        """
        if len(self._writes) >= MOST_WRITES:
            return False
        self._writes.append(LateWrite(holder, store, time.monotonic() + PATIENCE_SECONDS))
        self._holders.add(holder)
        self.wake()
        return True

    def _work(self) -> None:
        renewed_at = time.monotonic()
        while self._holders or self._writes:
            gevent.sleep(RETRY_SECONDS)
            try:
                self._store_writes()
            except (SQLAlchemyError, gevent.Timeout) as error:  # perhaps only waits for a lock
                log.warning("late writes not stored yet", error=type(error).__name__)
            if not self._holders or time.monotonic() - renewed_at < RENEW_SECONDS:
                continue
            try:
                self._renew()
                renewed_at = time.monotonic()
            except (SQLAlchemyError, gevent.Timeout) as error:
                keys_not_renewed.inc()
                log.warning("key leases not renewed", error=type(error).__name__)

    def _renew(self) -> None:
        with background_transaction(self._app) as session:
            key_rows.renew(session, self._holders)

    def _store_writes(self) -> None:
        """Store the writes. Raises the error of the first write that fails in an outage.

        Perhaps only this write waits, for one user's lock. So the writes of all other holders are
        tried first the next time. A write that fails in any other way is given up, because it must
        not keep the others waiting.
        """
        while self._writes:
            write, is_away = self._writes[0], False
            try:
                self._store(write)
            except (SQLAlchemyError, ServiceError) as error:
                is_away = isinstance(error, SQLAlchemyError) and is_outage(error)
                if is_away:
                    raise
                log.error("late write refused", holder=write.holder, error=type(error).__name__)
            except (gevent.Timeout, gevent.GreenletExit):
                is_away = True
                raise
            finally:
                if is_away:
                    self._put_behind(write.holder)
                else:
                    self._writes.pop(0)
                    self._holders.discard(write.holder)

    def _put_behind(self, holder: str) -> None:
        """Move a holder's writes behind those of all others, in their order."""
        self._writes.sort(key=lambda write: write.holder == holder)

    def _store(self, write: LateWrite) -> None:
        if time.monotonic() >= write.gives_up:
            log.error("late write given up", holder=write.holder)
            return
        with background_context(self._app):
            write.store()
