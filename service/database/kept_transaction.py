"""A transaction that the driver begins and ends, on a connection that stays open."""

from typing import Any

import gevent
from sqlalchemy import Connection, Engine

from service.database.pool import CountedPool
from service.database.time_limits import has_limit

IMMEDIATE = "immediate"  # key of a connection's info: whether its next transaction is one
# The exceptions that end a wait for the database. The connection is then closed, as SQLAlchemy does
# it, because the answer that it may still receive is unknown.
INTERRUPTIONS = (gevent.Timeout, gevent.GreenletExit, KeyboardInterrupt, SystemExit)
DRIVER = "kept_driver"  # key for the driver of a transaction that SQLAlchemy does not know


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
        engine, pool, is_entered = self._engine, self._engine.pool, False
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
