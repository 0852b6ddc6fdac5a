"""SQLite: open a file, wait for a writer, and interrupt a statement.

SQLite runs inside the worker. A read lets other greenlets run about every millisecond, and can then
be interrupted. Code inside a write transaction must not switch greenlets.
"""

import os
import sqlite3
import time
from contextlib import suppress
from functools import partial
from typing import Any, NoReturn

import gevent
from gevent.lock import BoundedSemaphore
from sqlalchemy import Connection, Engine, ExceptionContext, event
from sqlalchemy.exc import OperationalError

from service.database import checkpoints
from service.database.clock import SQLITE_FUNCTION, time_from_now
from service.database.commits import CommitSync, UnsyncedCommits
from service.database.kept_transaction import IMMEDIATE, has_begun
from service.database.letter_case import SQLITE_FUNCTION as LOWER
from service.database.letter_case import lower
from service.database.opened_file import OpenedFile
from service.database.time_limits import seconds_left
from service.fairness import let_others_run

PRAGMAS = (
    "PRAGMA journal_mode=WAL",
    "PRAGMA foreign_keys=ON",
    "PRAGMA busy_timeout=0",  # because SQLite's own wait would block all greenlets
    "PRAGMA synchronous=NORMAL",  # because commits are synced by `CommitSync`
)
BUSY_SECONDS = 5.0  # for which a writer waits for another process
PATIENCE_SECONDS = 1.0  # a writer that has waited so long gives up together with another one
PROGRESS_STEPS = 50  # of SQLite's virtual machine: microseconds, or milliseconds for large values
SLICE_SECONDS = 0.001  # of a read before it lets other greenlets run

# The file can't be used now, or not by this connection. For example, a connection that was opened
# on a read-only disk stays read-only.
BROKEN = {
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_PROTOCOL,
    sqlite3.SQLITE_NOMEM,
}
BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
OUTAGE = BROKEN | BUSY | {sqlite3.SQLITE_INTERRUPT}  # interrupted: at the statement's time limit

Commits = CommitSync | UnsyncedCommits


def prepare_engine(engine: Engine, sync: str) -> Commits:
    """Prepare an engine. Return the object that a writer has to notify of its commit.

    `sync` is the value of `SQLITE_SYNC`.
    """
    path = str(engine.url.database)
    commits = CommitSync(path) if sync == "full" else UnsyncedCommits(path)
    file = OpenedFile(path)
    event.listen(engine, "do_connect", lambda *_: file.check())  # before a file is made
    event.listen(engine, "do_connect", _make_private)
    event.listen(engine, "connect", lambda *_: file.check())
    event.listen(engine, "connect", _prepare)
    event.listen(engine, "begin", partial(_begin, commits, file))
    event.listen(engine, "handle_error", _explain)
    return commits


def _make_private(dialect: Any, record: Any, arguments: list[Any], parameters: Any) -> None:
    """Create the file with access for its owner only. SQLite copies the mode to other files."""
    with suppress(OSError):  # the file exists, or SQLite will report the error
        os.close(os.open(arguments[0], os.O_CREAT | os.O_EXCL, 0o600))


def _prepare(driver: Any, record: Any) -> None:
    driver.isolation_level = None  # because `_begin` begins transactions
    for pragma in PRAGMAS:
        driver.execute(pragma)
    driver.execute(f"PRAGMA wal_autocheckpoint={checkpoints.MOST_PAGES}")
    driver.execute(f"PRAGMA journal_size_limit={checkpoints.KEPT_BYTES}")
    # As "deterministic", a statement calls it once and not for each row, with one result for all.
    driver.create_function(SQLITE_FUNCTION, 1, time_from_now, deterministic=True)
    driver.create_function(LOWER, 1, lower, deterministic=True)
    record.info["progress"] = ProgressHandler()


def _begin(commits: Commits, file: OpenedFile, connection: Connection) -> None:
    if has_begun(connection):
        return
    info = connection.info
    immediate = info.pop(IMMEDIATE, None)  # before any error: it must not stay for another one
    commits.check()
    if immediate is None:  # a transaction of the ORM
        immediate = bool(connection.get_execution_options().get("immediate"))
    driver: Any = connection.connection.dbapi_connection
    info["progress"].begin(driver, immediate, seconds_left())
    if immediate:
        file.check()
        _begin_write(connection)
    else:
        _begin_read(connection)


def _explain(context: ExceptionContext) -> None:
    if context.connection:
        context.connection.info["progress"].raise_reason()
    if primary_code(context.original_exception) in BROKEN:
        context.is_disconnect = True  # so that the pool opens a new connection


def primary_code(error: BaseException | None) -> int:
    """Return SQLite's result code without its extension, or 0 if there is none."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def _begin_read(connection: Connection) -> None:
    driver: Any = connection.connection.dbapi_connection
    try:
        driver.execute("BEGIN")  # as SQLAlchemy's statement it takes three times as long
    except sqlite3.Error as error:
        _fail(connection, error, "BEGIN")


def _fail(connection: Connection, error: sqlite3.Error, text: str) -> NoReturn:
    """Raise SQLAlchemy's error for the driver's."""
    connection._handle_dbapi_exception(error, text, None, None, None)  # noqa: SLF001


class WriterLock:
    """Admits one writer of this process at a time. SQLite's own wait would block the event loop.

    If another process writes for so long that a writer gives up, the writers that have waited
    behind it for `PATIENCE_SECONDS` or more give up as well. Otherwise each would wait as long
    again.
    """

    def __init__(self) -> None:
        self._lock = BoundedSemaphore(1)
        self._given_up_at = 0.0  # monotonic

    def __enter__(self) -> None:
        """Wait for the lock. Raises `OperationalError` if the writer before it gave up."""
        began = time.monotonic()
        self._lock.acquire()
        if began < self._given_up_at - PATIENCE_SECONDS:
            self._lock.release()
            reason = sqlite3.OperationalError("database is locked")
            reason.sqlite_errorcode = sqlite3.SQLITE_BUSY
            raise OperationalError("BEGIN IMMEDIATE", None, reason)

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    def give_up(self) -> None:
        """Note that the writer that has the lock gives up. Only that writer calls it."""
        self._given_up_at = time.monotonic()


writer_lock = WriterLock()


def _begin_write(connection: Connection) -> None:
    """Begin a write when no other process writes, without blocking other greenlets meanwhile."""
    driver: Any = connection.connection.dbapi_connection
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            driver.execute("BEGIN IMMEDIATE")
            return
        except sqlite3.Error as error:
            if primary_code(error) not in BUSY:
                _fail(connection, error, "BEGIN IMMEDIATE")
            if time.monotonic() >= deadline:
                writer_lock.give_up()
                _fail(connection, error, "BEGIN IMMEDIATE")
        gevent.sleep(0.02)


class ProgressHandler:
    """Provides the function that SQLite calls during a statement, to ask whether to interrupt it.

    An exception can't pass through SQLite: it interrupts the statement and is raised afterwards.
    """

    def __init__(self) -> None:
        self._is_paused = False
        self._resumed_at = 0.0
        self._deadline = float("inf")
        self._reason: BaseException | None = None

    def begin(self, driver: sqlite3.Connection, is_write: bool, seconds: float) -> None:
        """Watch the statements of a read, but not those of a write.

        In the writes of a turn SQLite would call us some 25 times without use, and a large write
        would take an eighth longer.
        """
        self._is_paused = False
        self._resumed_at = time.monotonic()
        self._deadline = self._resumed_at + seconds
        driver.set_progress_handler(None if is_write else self.should_interrupt, PROGRESS_STEPS)

    def stay(self) -> None:
        """Neither interrupt statements nor let other greenlets run, until the next transaction."""
        self._is_paused = True

    def should_interrupt(self) -> bool:
        """Let other greenlets run if it is time, and return whether to interrupt the statement."""
        if self._is_paused or time.monotonic() - self._resumed_at < SLICE_SECONDS:
            return False
        try:
            let_others_run()
        except BaseException as reason:  # noqa: BLE001 - `raise_reason` raises it again
            self._reason = reason
        self._resumed_at = time.monotonic()
        return self._reason is not None or self._resumed_at > self._deadline

    def raise_reason(self) -> None:
        reason, self._reason = self._reason, None
        try:
            if reason:
                raise reason
        finally:
            del reason  # its traceback has this frame
