"""A pool of connections that counts its waiters and keeps SQLAlchemy's connections open.

Making one of SQLAlchemy's connections and closing it takes as long as four statements. Therefore a
connection that a `KeptTransaction` has used stays checked out for the next one, unless another
greenlet needs it.
"""

from collections import defaultdict, deque
from typing import Any

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import TimeoutError
from sqlalchemy.pool import QueuePool

from service.cleanup import OnFailure
from service.database.shares import Shares, Waiter, current_user, record_of
from service.observing import measures
from service.observing.sampler import Sampler


class CountedPool(QueuePool):
    """A pool that never has more connections than its size, and serves waiters in their order.

    In SQLAlchemy's queue, a greenlet that gives a connection back may take it again before a waiter
    runs, and a waiter may get none in time. A user who has the most connections of one user waits,
    and others need not wait behind that user.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._kept: defaultdict[Engine, list[Connection]] = defaultdict(list)
        self._line: deque[Waiter] = deque()
        self._shares = Shares(self.size())
        self._is_disposed = False

    @property
    def waiting(self) -> int:
        return len(self._line)

    def take(self, engine: Engine) -> Connection:
        """Return a connection without a transaction, of an engine that has this pool."""
        kept, user = self._kept[engine], current_user()
        while kept and self._may_take(user):
            connection = kept.pop()
            if getattr(connection.connection.dbapi_connection, "is_fresh", True):
                self._shares.begin(user, record_of(connection))
                return connection
            connection.close()  # the pool checks whether the server still answers
        return engine.connect()

    def give_back(self, connection: Connection) -> None:
        if self._line or self._is_disposed:
            connection.close()
            return
        self._shares.end(record_of(connection))
        self._kept[connection.engine].append(connection)

    def checkedout(self) -> int:
        """Return how many connections are in use."""
        return super().checkedout() - sum(map(len, self._kept.values()))

    def _do_get(self) -> Any:
        """Hand out a connection. SQLAlchemy's pools override this method."""
        user = current_user()
        if not self._may_take(user) or not self._is_free():
            return self._wait(user)
        with OnFailure(self._call_next):
            return self._shares.take(user, super()._do_get)

    def _do_return_conn(self, record: Any) -> None:
        """Take a connection back. SQLAlchemy's pools override this method."""
        self._shares.end(record)
        if self._is_disposed:
            record.close()  # otherwise it would stay open until its memory is collected
        super()._do_return_conn(record)
        self._call_next()

    def _wait(self, user: str | None) -> Any:
        measures.CONNECTION_WAITS.inc()
        waiter = Waiter(user)
        self._line.append(waiter)
        try:
            if not waiter.wait(self.timeout(), lambda: self._is_next(waiter)):
                raise TimeoutError(f"no connection became free in {self.timeout()} s")
            return self._shares.take(user, super()._do_get)
        finally:
            self._line.remove(waiter)
            self._call_next()

    def _may_take(self, user: str | None) -> bool:
        is_next = not self._line or self._shares.first(self._line) is None
        return is_next and self._shares.allow(user)

    def _is_next(self, waiter: Waiter) -> bool:
        return self._shares.first(self._line) is waiter and self._is_free()

    def _call_next(self) -> None:
        waiter = self._shares.first(self._line) if self._line else None
        if waiter and self._is_free():
            waiter.turn.set()

    def _is_free(self) -> bool:
        return super().checkedout() < self.size() or self._close_kept()

    def _close_kept(self) -> bool:
        """Put a kept connection back into the pool. Return False if there is none."""
        for kept in self._kept.values():
            if kept:
                kept.pop().close()
                return True
        return False

    def _invalidate(self, *arguments: Any, **options: Any) -> None:
        """Invalidate connections. SQLAlchemy calls this method when the database is lost."""
        self._invalidate_kept()
        super()._invalidate(*arguments, **options)

    def dispose(self) -> None:
        self._is_disposed = True
        self._invalidate_kept()
        super().dispose()

    def _invalidate_kept(self) -> None:
        for kept in self._kept.values():
            while kept:
                with kept.pop() as connection:
                    connection.invalidate()


def count_connections(sampler: Sampler, engine: Engine) -> None:
    """Add gauges of an engine's pool, which is looked up each time because it may be replaced."""

    def pool() -> CountedPool:
        assert isinstance(engine.pool, CountedPool)
        return engine.pool

    sampler.add(measures.CONNECTIONS_USED, lambda: pool().checkedout())
    sampler.add(measures.CONNECTIONS_LIMIT, lambda: pool().size())
    sampler.add(measures.CONNECTIONS_AWAITED, lambda: pool().waiting)
