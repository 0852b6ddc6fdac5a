"""Keeps this worker's calls with an `Idempotency-Key`: renews keys, and stores late endings.

A key is renewed while its call runs, so that it lapses soon after its worker is lost. If the
database is away when a call has ended, its charge and answer are stored once it is back.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import gevent
import structlog
from flask import Flask
from sqlalchemy.exc import SQLAlchemyError

from service.database import is_outage, write_transaction
from service.errors import ServiceError
from service.integrations import idempotency
from service.integrations.idempotency import Once

RENEW_SECONDS = 5.0  # a third of a lease
RETRY_SECONDS = 1.0
QUERY_SECONDS = 5.0  # a database that hangs longer is away
PATIENCE = 300.0  # seconds for which an ending waits for the database
MOST_ENDINGS = 50  # that wait at once: each may hold some megabytes

log = structlog.get_logger("integrations")


@dataclass(frozen=True)
class Ending:
    """What is still to be stored of an ended attempt, tried until `gives_up`."""

    holder: str
    store: Callable[[], None]
    gives_up: float


class KeyKeeper:
    """Works only while calls with a key run, or endings wait."""

    def __init__(self, app: Flask) -> None:
        self._app = app
        self._holders: set[str] = set()
        self._endings: list[Ending] = []
        self._greenlet: gevent.Greenlet | None = None

    @contextmanager
    def renewing(self, once: Once) -> Iterator[None]:
        """A context in which the key is renewed."""
        self._holders.add(once.holder)
        if not self._greenlet:
            self._greenlet = gevent.spawn(self._work)
        try:
            yield
        finally:
            if not any(ending.holder == once.holder for ending in self._endings):
                self._holders.discard(once.holder)

    def store_later(self, once: Once, store: Callable[[], None]) -> bool:
        """Store it as soon as the database takes it; False where too many wait already."""
        if len(self._endings) >= MOST_ENDINGS:
            return False
        self._endings.append(Ending(once.holder, store, time.monotonic() + PATIENCE))
        return True

    def _work(self) -> None:
        renewed = time.monotonic()
        while self._holders:
            gevent.sleep(RETRY_SECONDS)
            try:
                self._store_endings()
                if self._holders and time.monotonic() - renewed >= RENEW_SECONDS:
                    self._renew()
                    renewed = time.monotonic()
            except (SQLAlchemyError, gevent.Timeout) as error:
                log.warning("attempts not kept", error=type(error).__name__)
        self._greenlet = None

    def _renew(self) -> None:
        limit = gevent.Timeout(QUERY_SECONDS)
        with limit, self._app.app_context(), write_transaction() as session:
            idempotency.renew(session, self._holders)

    def _store_endings(self) -> None:
        """Store the endings in their order. Raises while the database is still away."""
        while self._endings:
            ending = self._endings[0]
            try:
                self._store(ending)
            except (SQLAlchemyError, ServiceError) as error:
                if isinstance(error, SQLAlchemyError) and is_outage(error):
                    raise
                log.error("ending refused", holder=ending.holder, error=type(error).__name__)
            self._endings.pop(0)
            self._holders.discard(ending.holder)

    def _store(self, ending: Ending) -> None:
        if time.monotonic() >= ending.gives_up:
            log.error("ending lost", holder=ending.holder)
            return
        with gevent.Timeout(QUERY_SECONDS), self._app.app_context():
            ending.store()
