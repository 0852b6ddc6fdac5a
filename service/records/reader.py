"""A feed's own connection to the database, which reads the newest changes.

It is kept open outside of the pool: a read of the feed then waits for no other request, and takes
one round trip.
"""

import sqlite3
import time
from typing import Any

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import SQLAlchemyError

from service.records import changes
from service.records.changes import ChangePage
from service.records.cursor import Position

UNKNOWN = -1


class FeedReader:
    """Reads for one feed. Any error closes the connection; the next call opens a new one."""

    def __init__(self, engine: Engine) -> None:
        self.dialect = engine.dialect.name
        self._engine = engine
        self._connection: Connection | None = None
        self._driver: sqlite3.Connection | None = None  # of the connection, on SQLite
        self.read_at = time.monotonic()  # or found to be unchanged
        self._version = UNKNOWN  # of SQLite's file, at the last read

    def is_unchanged(self) -> bool:
        """Whether nothing was committed since the last read, by any process.

        Only SQLite can tell, in a few microseconds. Source: https://sqlite.org/pragma.html,
        data_version.
        """
        is_same = self._version != UNKNOWN and self._version == self._data_version()
        if is_same:
            self.read_at = time.monotonic()
        return is_same

    def read(self, after: Position) -> ChangePage:
        """Return the next changes. Raises `SQLAlchemyError`."""
        try:
            connection = self._connection or self._open()
            version = self._data_version()  # before reading, or a commit in between would be lost
            if not connection.in_transaction():
                connection.begin()
            page = changes.read(connection, after)
            connection.commit()
            if self._driver:
                connection.info["progress"].stay()  # `is_unchanged` is called by the event loop
        except SQLAlchemyError:
            self.close()
            raise
        self._version, self.read_at = version, time.monotonic()
        return page

    def close(self) -> None:
        connection, self._connection, self._driver = self._connection, None, None
        if connection:
            connection.close()

    def _open(self) -> Connection:
        connection = self._engine.connect()
        if self.dialect == "postgresql":
            connection = connection.execution_options(isolation_level="AUTOCOMMIT")
        connection.detach()
        if self.dialect == "sqlite":
            driver: Any = connection.connection.dbapi_connection
            self._driver = driver
        self._connection = connection
        return connection

    def _data_version(self) -> int:
        """Return the version of SQLite's file, which any other connection's commit changes."""
        if not self._driver:
            return UNKNOWN
        try:
            return int(self._driver.execute("PRAGMA data_version").fetchone()[0])
        except sqlite3.Error:  # the next read reports it
            return UNKNOWN
