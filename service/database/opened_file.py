"""SQLite: check that the database's file is still the one that this process has opened.

If somebody replaces or removes the file while the service runs, the service keeps a file without a
name: writes to it would be acknowledged and be lost at the next start. New connections would open
the other file together with the log of the first.
"""

import os
import sqlite3

from sqlalchemy.exc import OperationalError

REPLACED = "the database's file was replaced or removed while it was in use: restart the service"


class OpenedFile:
    """The file that had this path when the first connection was made."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._opened: tuple[int, int] | None = None

    def check(self) -> None:
        """Raise `OperationalError` if the path now has another file or none."""
        named = self._file_at_path()
        self._opened = self._opened or named
        if named != self._opened:
            reason = sqlite3.OperationalError(REPLACED)
            reason.sqlite_errorcode = sqlite3.SQLITE_READONLY
            raise OperationalError("BEGIN", None, reason)

    def _file_at_path(self) -> tuple[int, int] | None:
        try:
            found = os.stat(self._path)
        except OSError:
            return None
        return found.st_dev, found.st_ino
