"""The pool of connections: who waits for one is counted, and who has just used one leaves it ready.

To make a connection of SQLAlchemy's and to close it again takes as long as four statements. One
that a `KeptTransaction` has used stays checked out for the next, unless somebody else needs it.
"""

from collections import defaultdict
from typing import Any

from sqlalchemy import Connection, Engine
from sqlalchemy.pool import QueuePool

from service.observing import measures
from service.observing.sampler import Sampler

IMMEDIATE = "immediate"  # key of a connection's info: what its next transaction is


class CountedPool(QueuePool):
    """A pool that never has more connections than its size."""

    waiting = 0

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._kept: defaultdict[Engine, list[Connection]] = defaultdict(list)

    def take(self, engine: Engine) -> Connection:
        """A connection without a transaction, of an engine that has this pool."""
        kept = self._kept[engine]
        while kept:
            connection = kept.pop()
            if getattr(connection.connection.dbapi_connection, "is_fresh", True):
                return connection
            connection.close()  # the pool looks whether the server is still there
        return engine.connect()

    def give_back(self, connection: Connection) -> None:
        if self.waiting:
            connection.close()
            return
        self._kept[connection.engine].append(connection)
        if connection.engine.pool is not self:  # which was disposed of meanwhile
            self._invalidate_kept()

    def checkedout(self) -> int:
        """How many connections are in use."""
        return super().checkedout() - sum(map(len, self._kept.values()))

    def _do_get(self) -> Any:
        """The method that SQLAlchemy's pools override to hand out a connection."""
        if super().checkedout() < self.size() or self._close_kept():
            return super()._do_get()
        self.waiting += 1
        measures.CONNECTION_WAITS.inc()
        try:
            return super()._do_get()
        finally:
            self.waiting -= 1

    def _close_kept(self) -> bool:
        """Put a kept connection back into the pool. False if there is none."""
        for kept in self._kept.values():
            if kept:
                kept.pop().close()
                return True
        return False

    def _invalidate(self, *arguments: Any, **options: Any) -> None:
        """The method that SQLAlchemy calls when the database is lost."""
        self._invalidate_kept()
        super()._invalidate(*arguments, **options)

    def dispose(self) -> None:
        self._invalidate_kept()
        super().dispose()

    def _invalidate_kept(self) -> None:
        for kept in self._kept.values():
            while kept:
                with kept.pop() as connection:
                    connection.invalidate()


class KeptTransaction:
    """A transaction of an engine that has a `CountedPool`. On SQLite, an `immediate` one is a
    writer from its beginning."""

    __slots__ = ("_connection", "_engine", "_immediate", "_pool", "_transaction")

    def __init__(self, engine: Engine, immediate: bool) -> None:
        self._engine, self._immediate = engine, immediate

    def __enter__(self) -> Connection:
        pool, has_begun = self._engine.pool, False
        assert isinstance(pool, CountedPool)
        self._pool = pool
        self._connection = connection = pool.take(self._engine)
        try:
            connection.info[IMMEDIATE] = self._immediate  # to set an option takes ten calls
            self._transaction = connection.begin()
            self._transaction.__enter__()
            has_begun = True
        finally:
            if not has_begun:
                connection.close()
        return connection

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        has_ended = False
        try:
            self._transaction.__exit__(kind, error, trace)
            has_ended = kind is None
        finally:
            if has_ended:
                self._pool.give_back(self._connection)
            else:
                self._connection.close()


def count_connections(sampler: Sampler, engine: Engine) -> None:
    """An engine may replace its pool, so it is asked for it each time."""

    def pool() -> CountedPool:
        assert isinstance(engine.pool, CountedPool)
        return engine.pool

    sampler.add(measures.CONNECTIONS_USED, lambda: pool().checkedout())
    sampler.add(measures.CONNECTIONS_LIMIT, lambda: pool().size())
    sampler.add(measures.CONNECTIONS_AWAITED, lambda: pool().waiting)
