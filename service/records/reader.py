"""How a feed reads the newest changes: on a connection of its own, in one round trip."""

import time

from sqlalchemy import Engine

from service.database.standing import StandingConnection
from service.records import changes
from service.records.changes import ChangePage
from service.records.cursor import Position


class FeedReader:
    """Reads for one feed. Any error closes the connection; the next call opens a new one."""

    def __init__(self, engine: Engine) -> None:
        self.dialect = engine.dialect.name
        self.read_at = time.monotonic()  # or found to be unchanged
        self._connection = StandingConnection(engine)
        self.close = self._connection.close

    def is_unchanged(self) -> bool:
        """Whether it is known that there are no new changes. The event loop may call it."""
        is_same = self._connection.is_unchanged()
        if is_same:
            self.read_at = time.monotonic()
        return is_same

    def read(self, after: Position) -> ChangePage:
        """Return the next changes. Raises `SQLAlchemyError`."""
        with self._connection.reading() as connection:
            page = changes.read(connection, after)
        self.read_at = time.monotonic()
        return page
