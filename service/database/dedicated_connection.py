"""A connection that is kept open outside the pool, for a reader that must not wait for others."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import SQLAlchemyError

UNKNOWN = -1


class StandingConnection:
    """A connection that is opened when it is needed, and closed after any database error."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._connection: Connection | None = None
        self._sqlite: sqlite3.Connection | None = None
        self._version = UNKNOWN  # of SQLite's file, at the last read

    @property
    def is_open(self) -> bool:
        return self._connection is not None

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Run a transaction, or single statements on PostgreSQL. Raises `SQLAlchemyError`."""
        try:
            connection = self._connection or self._open()
            version = self._data_version()  # before reading, or a commit in between would be lost
            with connection.begin():
                yield connection
            if self._sqlite:
                connection.info["progress"].stay()  # the event loop calls `is_unchanged`
        except SQLAlchemyError:
            self.close()
            raise
        self._version = version

    def is_unchanged(self) -> bool:
        """Return whether nothing was committed since the last read, by any process.

        Only SQLite can answer this, in a few microseconds. Source: https://sqlite.org/pragma.html,
        data_version.
        """
        return self._version != UNKNOWN and self._version == self._data_version()

    def close(self) -> None:
        connection, self._connection, self._sqlite = self._connection, None, None
        if connection:
            connection.close()

    def _open(self) -> Connection:
        connection = self._engine.connect()
        is_sqlite = self._engine.dialect.name == "sqlite"
        if not is_sqlite:
            connection = connection.execution_options(isolation_level="AUTOCOMMIT")
        connection.detach()
        if is_sqlite:
            driver: Any = connection.connection.dbapi_connection
            self._sqlite = driver
        self._connection = connection
        return connection

    def _data_version(self) -> int:
        """Return the version of SQLite's file, which any other connection's commit changes."""
        if not self._sqlite:
            return UNKNOWN
        try:
            return int(self._sqlite.execute("PRAGMA data_version").fetchone()[0])
        except sqlite3.Error:  # the next read reports it
            return UNKNOWN
