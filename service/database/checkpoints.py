"""SQLite: a thread copies the write-ahead log into the database's file.

SQLite does that itself within a commit that makes the log longer than 1 000 pages, every twenty
turns or so, and syncs both files. The event loop would wait for the disk meanwhile. Here it is
done behind every `COMMITS` commits, beside reads and further writes, which it never blocks. What
stays is one sync of the log's header, by the commit that begins the log anew.
Source: docs/decisions/0029-commits-share-a-sync.md, https://www.sqlite.org/wal.html.
"""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any

import structlog
from gevent.threadpool import ThreadPool

COMMITS = 50  # after which the log is copied: some 3 000 pages of turns
# At which a commit copies the log nevertheless: 40 MB. A log to which somebody writes all the time
# is never copied to its end, and only then SQLite begins it anew.
PAGES = 10_000
TRIES = 3  # to reach the end

log = structlog.get_logger("database")


@cache
def _thread() -> ThreadPool:
    """One thread for this process. That of the syncs has to be free for them."""
    return ThreadPool(1)


class Checkpoints:
    """The checkpoints of one database file in this process.

    `fail` is called after an error of the disk: pages may be lost, although a second sync would
    succeed.
    """

    def __init__(self, path: str, fail: Callable[[], None]) -> None:
        self._path, self._fail = path, fail
        self._commits = 0  # since the last one
        self._is_running = False

    def count(self, commits: int) -> None:
        """Count commits. After enough of them a checkpoint begins, and nobody waits for it."""
        self._commits += commits
        if self._commits >= COMMITS and not self._is_running:
            self._commits, self._is_running = 0, True
            _thread().spawn(_try_to_copy, self._path).rawlink(self._end)

    def _end(self, task: Any) -> None:
        """In the event loop."""
        self._is_running = False
        error = task.exception or task.value
        if error is None:
            return
        log.warning("log not copied", error=str(error) or type(error).__name__)
        if getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_IOERR:
            self._fail()


def _try_to_copy(path: str) -> Exception | None:
    """In the thread: the usual errors, which would be printed if raised there."""
    try:
        _copy(path)
    except sqlite3.Error as error:
        return error
    return None


def _copy(path: str) -> None:
    """Copy the log, to its end if nobody goes on writing."""
    # A file that is gone is not created again.
    address = f"{Path(path).absolute().as_uri()}?mode=rw"
    with closing(sqlite3.connect(address, 0, isolation_level=None, uri=True)) as connection:
        for _ in range(TRIES):
            busy, pages, copied = connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
            if busy or pages == copied:
                return
