"""SQLite: a thread copies the write-ahead log into the database's file.

SQLite does that itself within a commit that makes the log longer than 1 000 pages, every twenty
turns or so, and syncs both files. The event loop would wait for the disk meanwhile. Here it is
done behind every `COMMITS` commits, beside reads and further writes, whether commits are synced or
not. What stays is one sync of the log's header, by the commit that begins the log anew. Writers
wait only where the log is long.
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
# SQLite begins a log anew only if nobody reads in it. If somebody always does, it is made to from
# this length on: 20 MB, before commits copy it.
LONG = 5_000  # pages
# What the file keeps of a log that was longer, once that begins anew. To write over it is cheaper
# than to append: each sync of a file that grows writes its length and its new blocks as well.
KEPT = 40_000_000  # bytes
PATIENCE = 1.0  # seconds for which writers wait then until the readers of the log have ended

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
        self._long = LONG  # pages at which the log has to begin anew

    def count(self, commits: int) -> None:
        """Count commits. After enough of them a checkpoint begins, and nobody waits for it."""
        self._commits += commits
        if self._commits >= COMMITS and not self._is_running:
            self._commits, self._is_running = 0, True
            _thread().spawn(_try_to_copy, self._path, self._long).rawlink(self._end)

    def _end(self, task: Any) -> None:
        """In the event loop."""
        self._is_running = False
        outcome = task.exception or task.value
        if isinstance(outcome, Exception):
            self._note(outcome)
        elif outcome >= self._long:  # a reader holds it: writers do not wait each time
            self._long = outcome + LONG
        elif outcome < LONG:
            self._long = LONG

    def _note(self, error: Exception) -> None:
        log.warning("log not copied", error=str(error) or type(error).__name__)
        if getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_IOERR:
            self._fail()


def _try_to_copy(path: str, long: int) -> int | Exception:
    """In the thread: the usual errors, which would be printed if raised there."""
    try:
        return _copy(path, long)
    except sqlite3.Error as error:
        return error


def _copy(path: str, long: int = LONG) -> int:
    """Copy the log, to its end if nobody goes on writing. If it has `long` pages, the next writer
    begins it anew.

    Returns how many pages the log has then.
    """
    # A file that is gone is not created again.
    address = f"{Path(path).absolute().as_uri()}?mode=rw"
    connection = sqlite3.connect(address, timeout=0, isolation_level=None, uri=True)
    with closing(connection):
        for _ in range(TRIES):
            busy, pages, copied = connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
            if busy or pages == copied:
                break
        if busy or pages < long:
            return int(pages)
        # Nobody can write meanwhile. Whoever begins to read does not read in the log.
        connection.execute(f"PRAGMA busy_timeout={1000 * PATIENCE:.0f}")
        busy, _, _ = connection.execute("PRAGMA wal_checkpoint(RESTART)").fetchone()
        return int(pages) if busy else 0
