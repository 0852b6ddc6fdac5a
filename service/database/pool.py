"""A pool of connections that counts its waiters and keeps SQLAlchemy's connections open.

Making one of SQLAlchemy's connections and closing it takes as long as four statements. Therefore a
connection that a `KeptTransaction` has used stays checked out for the next one, unless another
greenlet needs it.
"""

from collections import defaultdict, deque
from typing import Any

import gevent
from sqlalchemy import Connection, Engine
from sqlalchemy.exc import TimeoutError
from sqlalchemy.pool import QueuePool

from service.cleanup import OnFailure
from service.database.shares import Shares, Waiter, current_user, record_of
from service.database.time_limits import has_limit
from service.observing import measures
from service.observing.sampler import Sampler

IMMEDIATE = "immediate"  # key of a connection's info: whether its next transaction is one
# The exceptions that end a wait for the database. The connection is then closed, as SQLAlchemy does
# it, because the answer that it may still receive is unknown.
INTERRUPTIONS = (gevent.Timeout, gevent.GreenletExit, KeyboardInterrupt, SystemExit)
DRIVER = "kept_driver"  # key for the driver of a transaction that SQLAlchemy does not know


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
        if self._line:
            connection.close()
            return
        self._shares.end(record_of(connection))
        self._kept[connection.engine].append(connection)
        if connection.engine.pool is not self:  # this pool was disposed of meanwhile
            self._invalidate_kept()

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
        self._invalidate_kept()
        super().dispose()

    def _invalidate_kept(self) -> None:
        for kept in self._kept.values():
            while kept:
                with kept.pop() as connection:
                    connection.invalidate()


class KeptTransaction:
    """A transaction of an engine that has a `CountedPool`.

    On SQLite, an `immediate` transaction is a writer from its beginning. The driver begins and ends
    the transaction, because SQLAlchemy's own takes thirty function calls. The connection gets one
    of SQLAlchemy's (`adopt`) only for a statement that SQLAlchemy executes, a savepoint, a
    rollback, or an error.
    """

    __slots__ = ("_connection", "_engine", "_immediate", "_pool")

    def __init__(self, engine: Engine, immediate: bool) -> None:
        self._engine, self._immediate = engine, immediate

    def __enter__(self) -> Connection:
        engine, is_entered = self._engine, False
        pool = engine.pool
        assert isinstance(pool, CountedPool)
        self._pool = pool
        self._connection = connection = pool.take(engine)
        try:
            connection.info[IMMEDIATE] = self._immediate  # setting an option would take ten calls
            if has_limit():  # a listener may have to pass the limit to the database
                connection.begin()
            else:
                for listener in engine.dispatch.begin:
                    listener(connection)
                vars(connection)[DRIVER] = connection.connection.dbapi_connection
            is_entered = True
        finally:
            if not is_entered:
                connection.close()
        return connection

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        connection, has_ended = self._connection, False
        try:
            if kind is None:
                _commit(connection)
                has_ended = True
        finally:
            if has_ended:
                vars(connection).pop(DRIVER, None)
                self._pool.give_back(connection)
            else:
                _roll_back(connection)


def driver_of(connection: Connection) -> Any:
    """Return the driver's connection, which has an open transaction.

    Raises SQLAlchemy's error if the connection is lost.
    """
    if known := vars(connection).get(DRIVER):
        return known
    assert connection.in_transaction(), "which a driver's cursor does not begin"
    return connection.connection.dbapi_connection


def has_begun(connection: Connection) -> bool:
    """Return whether the driver has begun a transaction without SQLAlchemy."""
    return DRIVER in vars(connection)


def adopt(connection: Connection) -> None:
    """Give the connection a transaction of SQLAlchemy's for the one that the driver has begun.

    Without it, SQLAlchemy would roll back after any error.
    """
    if has_begun(connection):
        if connection.get_transaction() is None:
            connection.begin()
        del vars(connection)[DRIVER]  # the driver's connection may be lost


def _commit(connection: Connection) -> None:
    if connection.in_transaction():
        connection.commit()
        return
    try:
        connection.dialect.do_commit(vars(connection)[DRIVER])
    except (connection.dialect.loaded_dbapi.Error, *INTERRUPTIONS) as error:
        adopt(connection)
        connection._handle_dbapi_exception(error, None, None, None, None)  # noqa: SLF001


def _roll_back(connection: Connection) -> None:
    """Roll back and close the connection. Raises SQLAlchemy's error, or an interruption.

    `close` alone would only log an error, and it regards a transaction of SQLAlchemy's whose commit
    was refused as rolled back. After `rollback` the pool rolls back anything still open.
    """
    with connection:
        adopt(connection)
        if not connection.invalidated and _is_closed(connection):
            connection.invalidate()  # or the rollback would fail, and its error would be raised
        connection.rollback()


def _is_closed(connection: Connection) -> bool:
    """Return whether an interrupted wait for PostgreSQL has closed the driver's connection."""
    return getattr(connection.connection.dbapi_connection, "closed", False)


def count_connections(sampler: Sampler, engine: Engine) -> None:
    """Add gauges of an engine's pool, which is looked up each time because it may be replaced."""

    def pool() -> CountedPool:
        assert isinstance(engine.pool, CountedPool)
        return engine.pool

    sampler.add(measures.CONNECTIONS_USED, lambda: pool().checkedout())
    sampler.add(measures.CONNECTIONS_LIMIT, lambda: pool().size())
    sampler.add(measures.CONNECTIONS_AWAITED, lambda: pool().waiting)
