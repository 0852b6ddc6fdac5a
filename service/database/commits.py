"""SQLite: make commits survive a power cut, with one sync for many of them.

With `PRAGMA synchronous=NORMAL` a commit hands its pages of the write-ahead log to the operating
system and does not wait for the disk. One `fdatasync` of the log, in a separate thread, makes all
commits before it durable. After a commit, a greenlet waits for a sync that began later, and
acknowledges nothing before that sync has ended.

After a failed sync the kernel forgets which pages were not written, so a second sync would succeed
without them. A checkpoint writes them again: it copies them from memory into the database's file
and syncs the file. Until a checkpoint succeeds, the database counts as unavailable.
Source: docs/decisions/0029-commits-share-a-sync.md, https://www.sqlite.org/wal.html.
"""

import os
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any

import structlog
from gevent.event import AsyncResult
from gevent.monkey import get_original
from gevent.threadpool import ThreadPool
from sqlalchemy.exc import OperationalError

from service.database.checkpoints import Checkpoints
from service.disk import sync
from service.observing.measures import SYNCS

BUSY_SECONDS = 1.0  # for which a checkpoint waits for readers

log = structlog.get_logger("database")

Work = Callable[[], None]
_new_lock: Any = get_original("threading", "Lock")  # gevent's own is not for threads
_sync_data = getattr(os, "fdatasync", os.fsync)  # macOS has only the latter


@cache
def _threads() -> ThreadPool:
    """Return a pool with one thread for a sync and one for a repair.

    The event loop starts the next sync and must not wait for a thread. The pool of gevent's hub may
    be busy with DNS look-ups.
    """
    return ThreadPool(2)


class CommitSync:
    """Syncs the log of one database file for all greenlets of this process."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._log = f"{path}-wal"
        self._next: AsyncResult[Exception | None] | None = None
        self._running: AsyncResult[Exception | None] | None = None
        self._descriptor = -1  # of the log whose directory entry is on disk
        self._failed = False
        self._repairing: AsyncResult[Exception | None] | None = None
        self._is_at_work = _new_lock()  # held by the thread that works
        self._waiting = 0  # commits that wait for `_next`
        self._checkpoints = Checkpoints(path, self._lose)

    def wait(self) -> None:
        """Wait until every commit so far is on disk. Raises `OperationalError`.

        If it raises, or is interrupted, the commit may or may not survive.
        """
        batch = self._next = self._next or AsyncResult()
        self._waiting += 1
        if not self._running:
            self._begin()
        if error := batch.get():
            raise _unavailable(error)

    def wait_for_others(self) -> None:
        """Wait until every commit of this process that can be read is on disk.

        A reader calls this. It starts no sync, because a greenlet that has committed starts one
        before any other greenlet runs. Raises `OperationalError`.
        """
        batch = self._next or self._running
        if batch and (error := batch.get()):
            raise _unavailable(error)

    def check(self) -> None:
        """Raise `OperationalError` while commits can't be made durable."""
        if not self._failed:
            return
        if not self._repairing:  # one repair for all callers
            self._repairing = _threads().spawn(self._try, self._repair)
            self._repairing.rawlink(self._end_repair)
        if error := self._repairing.get():
            raise _unavailable(error)

    def _end_repair(self, _: Any) -> None:
        self._repairing = None

    def _begin(self) -> None:
        batch, began = self._next, time.monotonic()
        commits, self._waiting = self._waiting, 0
        task = _threads().spawn(self._try, self._sync)
        self._running, self._next = batch, None
        task.rawlink(lambda _: self._end(batch, task, began))
        self._checkpoints.count(commits)

    def _lose(self) -> None:
        """Note a disk error in a checkpoint. The next transaction repairs the lost pages."""
        self._failed = True

    def _end(self, batch: Any, task: Any, began: float) -> None:
        """Handle the end of a sync in the event loop: the locks of metrics are not for threads."""
        self._running = None
        self._failed |= task.exception is not None  # out of memory, for example
        batch.set(task.exception or task.value)
        SYNCS.observe(time.monotonic() - began)
        if self._next:
            self._begin()

    def _try(self, work: Work) -> Exception | None:
        """Do the work in a thread, and return the usual errors, which gevent would print."""
        try:
            with self._is_at_work:
                work()
        except (OSError, sqlite3.Error) as error:
            self._failed = True
            return error
        return None

    def _sync(self) -> None:
        try:
            if not self._failed:
                self._sync_log()
        except FileNotFoundError:
            return  # the last connection has closed: the log is in the database's file
        except OSError:
            self._failed = True
            self._close()
        if self._failed:
            self._repair()

    def _sync_log(self) -> None:
        """Sync the file that has the log's name now. The last connection deletes it at its end."""
        is_new = not self._is_open()
        if is_new:
            self._open()
        _sync_data(self._descriptor)
        if is_new:
            sync(Path(self._log).parent)

    def _is_open(self) -> bool:
        named = os.stat(self._log)
        return self._descriptor >= 0 and os.path.samestat(os.fstat(self._descriptor), named)

    def _close(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def _open(self) -> None:
        self._close()
        self._descriptor = os.open(self._log, os.O_RDONLY | os.O_CLOEXEC)

    def _repair(self) -> None:
        """Copy the log into the database's file and empty it. Then nothing depends on the log."""
        connection = sqlite3.connect(self._path, timeout=BUSY_SECONDS, isolation_level=None)
        with closing(connection):
            connection.execute("PRAGMA synchronous=FULL")
            busy, _, _ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if busy:
            raise sqlite3.OperationalError("the log is in use")
        self._failed = False


class UnsyncedCommits:
    """The commits with `SQLITE_SYNC=normal`, which are not synced.

    They are only counted, so that the log is copied into the database's file.
    """

    def __init__(self, path: str) -> None:
        self._checkpoints = Checkpoints(path, self._lose)

    def wait(self) -> None:
        self._checkpoints.count(1)

    def wait_for_others(self) -> None:
        """Do nothing: a reader does not wait for a sync."""

    def check(self) -> None:
        """Do nothing: there is no sync that can have failed."""

    def _lose(self) -> None:
        """Do nothing: nobody was promised that these commits survive an error of the disk."""


def _unavailable(error: Exception) -> OperationalError:
    log.error("commits not synced", error=str(error) or type(error).__name__)
    reason = sqlite3.OperationalError("disk I/O error")
    reason.sqlite_errorcode = sqlite3.SQLITE_IOERR
    return OperationalError("COMMIT", None, reason)
