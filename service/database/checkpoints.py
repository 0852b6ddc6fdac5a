"""SQLite: copy the write-ahead log into the database's file in a thread.

SQLite itself does this within a commit that makes the log longer than 1 000 pages, about every
twenty turns, and syncs both files. The event loop would wait for the disk meanwhile. The thread
does it after every `COMMITS` commits, beside reads and further writes, whether commits are synced
or not. Only one sync stays in a commit: that of the log's header, when the log starts again.
Writers wait only when the log is long.
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
# From this length on (40 MB), a commit copies the log nevertheless. SQLite starts the log again
# only after it was copied to its end, which never happens while there are always new writes.
MOST_PAGES = 10_000
TRIES = 3  # to reach the end
# SQLite starts a log again only if nobody reads in it. If there are always readers, this module
# makes them wait from this length on: 20 MB, which is less than `MOST_PAGES`.
LONG_PAGES = 5_000
# The length that the file of a longer log keeps when the log starts again. Overwriting is cheaper
# than appending: each sync of a growing file also writes its length and its new blocks.
KEPT_BYTES = 40_000_000
PATIENCE_SECONDS = 1.0  # for which writers then wait until the readers of the log have ended

log = structlog.get_logger("database")


@cache
def _thread() -> ThreadPool:
    """Return a pool with one thread for this process. The thread of the syncs must stay free."""
    return ThreadPool(1)


class Checkpoints:
    """The checkpoints of one database file in this process.

    `fail` is called after an error of the disk: pages may be lost, although a second sync would
    succeed.
    """

    def __init__(self, path: str, fail: Callable[[], None]) -> None:
        self._path, self._fail = path, fail
        self._commits = 0  # since the last checkpoint
        self._is_running = False
        self._long = LONG_PAGES  # pages at which the log has to start again

    def count(self, commits: int) -> None:
        """Count commits. After enough of them, start a checkpoint without waiting for it."""
        self._commits += commits
        if self._commits >= COMMITS and not self._is_running:
            self._commits, self._is_running = 0, True
            _thread().spawn(_try_to_copy, self._path, self._long).rawlink(self._end)

    def _end(self, task: Any) -> None:
        """Handle the end of a checkpoint. Called in the event loop."""
        self._is_running = False
        outcome = task.exception or task.value
        if isinstance(outcome, Exception):
            self._note(outcome)
        elif outcome >= self._long:  # a reader holds the log: writers should not wait each time
            self._long = outcome + LONG_PAGES
        elif outcome < LONG_PAGES:
            self._long = LONG_PAGES

    def _note(self, error: Exception) -> None:
        log.warning("log not copied", error=str(error) or type(error).__name__)
        if getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_IOERR:
            self._fail()


def _try_to_copy(path: str, long: int) -> int | Exception:
    """Call `_copy` in the thread, and return the usual errors, which gevent would print."""
    try:
        return _copy(path, long)
    except sqlite3.Error as error:
        return error


def _copy(path: str, long: int = LONG_PAGES) -> int:
    """Copy the log, to its end unless others keep writing. Return its number of pages afterwards.

    If it has `long` pages, the next writer starts it again.
    """
    # With mode=rw, a missing file is not created.
    address = f"{Path(path).absolute().as_uri()}?mode=rw"
    connection = sqlite3.connect(address, timeout=0, isolation_level=None, uri=True)
    with closing(connection):
        for _ in range(TRIES):
            busy, pages, copied = connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
            if busy or pages == copied:
                break
        if busy or pages < long:
            return int(pages)
        # Nobody can write meanwhile. New readers do not read in the log.
        connection.execute(f"PRAGMA busy_timeout={1000 * PATIENCE_SECONDS:.0f}")
        busy, _, _ = connection.execute("PRAGMA wal_checkpoint(RESTART)").fetchone()
        return int(pages) if busy else 0
