"""Delete expired media, media of erased users, and files without an item."""

import time

import structlog
from flask import Flask
from sqlalchemy import or_, select

from service.app_keys import AppKey
from service.database.clock import from_now
from service.extensions import db, table
from service.media.directory import Directory
from service.media.models import MediaItem
from service.media.store import MediaStore

MEDIA_SWEEPER = AppKey["MediaSweeper"]("media_sweeper")
READING_SECONDS = 600.0  # after its expiry, in which a response may still read an item
BATCH = 8  # items of up to 32 MiB in one transaction
LOOK_SECONDS = 3600.0  # between two looks at the directory
ABANDONED_SECONDS = 3600.0  # after which a file without an item is deleted
NAMES_AT_ONCE = 500  # in one query

_items = table(MediaItem)

log = structlog.get_logger("media")


class MediaSweeper:
    """This worker's sweeper of media."""

    def __init__(self, app: Flask, store: MediaStore, directory: Directory | None) -> None:
        self._app, self._store, self._directory = app, store, directory
        self._looked = float("-inf")

    def sweep(self) -> int:
        """Delete in batches; returns the number of deleted items. Raises SQLAlchemyError."""
        try:
            count = self._delete_items()
            if self._directory and time.monotonic() - self._looked >= LOOK_SECONDS:
                self._delete_files(self._directory)
                self._looked = time.monotonic()
            return count
        except OSError as error:
            log.error("media not deleted", error=type(error).__name__, number=error.errno)
            return 0

    def _delete_items(self) -> int:
        """Try each item once: an item that can't be deleted must not block the others."""
        media_ids = self._over()
        starts = range(0, len(media_ids), BATCH)
        return sum(self._store.remove(media_ids[start : start + BATCH]) for start in starts)

    def _over(self) -> list[str]:
        """Return the ids of all items to delete, in no order.

        With an order or a limit the database would read all items that are kept.
        """
        is_over = or_(_items.c.user_id.is_(None), _items.c.expires_at < from_now(-READING_SECONDS))
        with self._app.app_context():
            return list(db.session.scalars(select(_items.c.media_id).where(is_over)))

    def _delete_files(self, directory: Directory) -> None:
        """Delete files without an item, which a crash or a restored database may leave."""
        names = directory.list_older(ABANDONED_SECONDS)
        for start in range(0, len(names), NAMES_AT_ONCE):
            some = names[start : start + NAMES_AT_ONCE]
            with self._app.app_context():
                known = select(_items.c.media_id).where(_items.c.media_id.in_(some))
                directory.remove(set(some) - set(db.session.scalars(known)))
