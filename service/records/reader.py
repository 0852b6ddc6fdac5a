"""Read the newest changes for a feed, on a connection of its own, in one round trip."""

import time

from sqlalchemy import Connection, Engine

from service.database.dedicated_connection import StandingConnection
from service.records import changes
from service.records.changes import ChangePage
from service.records.cursor import Cursor, Position


class AnotherHistory(Exception):
    """The database may lack changes that were read: a standby without them has taken over.

    `cursor` is the place of the newest change that the database has now.
    """

    def __init__(self, cursor: Cursor) -> None:
        super().__init__()
        self.cursor = cursor


class FeedReader:
    """Reads for one feed. Any error closes the connection; the next call opens a new one.

    `epoch` identifies the database in which the feed has its place.
    """

    def __init__(self, engine: Engine, epoch: str) -> None:
        self.dialect = engine.dialect.name
        self.read_at = time.monotonic()  # or when it was found to be unchanged
        self._epoch = epoch
        self._connection = StandingConnection(engine)
        self.close = self._connection.close

    def is_unchanged(self) -> bool:
        """Return whether it is known that there are no new changes. The event loop may call it."""
        is_same = self._connection.is_unchanged()
        if is_same:
            self.read_at = time.monotonic()
        return is_same

    def read(self, after: Position) -> ChangePage:
        """Return the next changes. Raises `SQLAlchemyError`, and `AnotherHistory` once."""
        is_new = not self._connection.is_open
        with self._connection.reading() as connection:
            if is_new:
                self._check(connection)
            page = changes.read(connection, after)
        self.read_at = time.monotonic()
        return page

    def _check(self, connection: Connection) -> None:
        cursor = changes.cursor_of(connection)
        before, self._epoch = self._epoch, cursor.epoch
        if before != cursor.epoch:
            raise AnotherHistory(cursor)
