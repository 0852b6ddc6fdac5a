"""Tickets as advisory locks of PostgreSQL, which all workers and hosts share.

A lock belongs to a connection and ends with it. So the tickets of a killed worker are free when the
database notices its end, and no row has to be renewed or swept.
Source: https://www.postgresql.org/docs/current/explicit-locking.html#ADVISORY-LOCKS
"""

import hashlib
import time
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import gevent
import structlog
from gevent.lock import BoundedSemaphore
from sqlalchemy import URL

from service.cleanup import OnFailure
from service.lazy import DeferredModule

ANSWER_SECONDS = 2.0  # of the database
PAUSE_SECONDS = 1.0  # without locks after a failure, so that nobody waits for a database that hangs
NUMBER_BITS = 15
# The candidates are unnested one by one, so that no second lock is taken after the first.
LOCK = b"SELECT n FROM unnest($1::bigint[]) AS n WHERE pg_try_advisory_lock(n) LIMIT 1"
UNLOCK = b"SELECT pg_advisory_unlock($1)"

postgresql = DeferredModule("service.database.postgresql")  # it loads the driver
log = structlog.get_logger("limits")


class AdvisoryLocks:
    """The locks of this worker, on one connection that is opened for the first of them.

    A connection can get a lock that it has a second time, so `held` is checked first.
    """

    def __init__(self, url: URL) -> None:
        self._url = url
        self._connection: Any = None
        self._turn = BoundedSemaphore(1)  # a connection executes one statement at a time
        self._away_until = 0.0  # monotonic
        self.held: set[int] = set()
        self._freed: list[int] = []  # still to be unlocked

    def take(self, name: str, numbers: Sequence[int]) -> int | None:
        """Lock one of a name's numbers, and return the lock; None if others have all of them.

        Raises `LocksAway`.
        """
        with self._turn:
            try:
                lock = self._lock_one(_first_lock(name), numbers)
            finally:
                self._unlock_freed()
            if lock is not None:
                self.held.add(lock)
            return lock

    def free(self, lock: int) -> None:
        """Unlock, without waiting for the answer, which the next `take` reads.

        While another greenlet uses the connection, that greenlet unlocks when it is done. If `free`
        waited for its turn and were interrupted, the lock would stay forever.
        """
        self._freed.append(lock)
        if not self._turn.locked():
            with self._turn:
                self._unlock_freed()

    def _lock_one(self, first: int, numbers: Sequence[int]) -> int | None:
        if time.monotonic() < self._away_until:
            raise LocksAway("not asked")
        free = [first + n for n in numbers if first + n not in self.held]
        with self._asking():
            if self._connection is None:
                self._connect()
            rows = self._connection.post(LOCK, [free]).fetchall()
        return int(rows[0][0]) if rows else None

    def _unlock_freed(self) -> None:
        while self._freed:
            freed, self._freed = self._freed, []
            self.held.difference_update(freed)
            if self._connection:
                with suppress(LocksAway), self._asking():  # the locks ended with their connection
                    for lock in freed:
                        self._connection.post(UNLOCK, [lock])
                    self._connection.flush()

    @contextmanager
    def _asking(self) -> Iterator[None]:
        try:
            # A connection in the middle of a statement is lost.
            with OnFailure(self.close), gevent.Timeout(ANSWER_SECONDS, LocksAway("no answer")):
                yield
        except (postgresql.Error, LocksAway) as error:
            self._away_until = time.monotonic() + PAUSE_SECONDS
            log.warning("limits not shared", error=type(error).__name__)
            raise LocksAway from error

    def _connect(self) -> None:
        """Open a connection, and lock again the locks that others have not taken meanwhile."""
        self._connection = postgresql.connect_alone(self._url)
        self._closing = weakref.finalize(self, self._connection.close)
        for lock in self.held:
            self._connection.post(LOCK, [[lock]])

    def close(self) -> None:
        """Close the connection, if there is one. Its locks end with it."""
        connection, self._connection = self._connection, None
        if connection:
            self._closing()  # otherwise each closed connection would stay in memory


class LocksAway(Exception):
    """The database does not answer."""


def _first_lock(name: str) -> int:
    """Return the key of a name's first lock. Two names have the same one once in 2^48."""
    digest = hashlib.blake2b(name.encode(), digest_size=6).digest()
    return int.from_bytes(digest) << NUMBER_BITS
