"""SQLite: how it is opened, waited for and interrupted.

SQLite runs inside the worker. A read lets others run about every millisecond, and can be
interrupted there. Nothing inside a write transaction may switch greenlets.
"""

import os
import sqlite3
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import gevent
from sqlalchemy import Connection, Engine, ExceptionContext, event

from service.clock import SQLITE_FUNCTION, time_from_now
from service.lifecycle import let_others_run

PRAGMAS = (
    "PRAGMA journal_mode=WAL",
    "PRAGMA foreign_keys=ON",
    "PRAGMA busy_timeout=0",  # from here on: all greenlets would wait
)
BUSY_SECONDS = 5.0  # that a writer waits for another process
STEPS = 50  # of SQLite's virtual machine: microseconds, but milliseconds where values are large
SLICE = 0.001  # seconds that a read takes before it lets others run

# The file can't be used for now, or not by this connection. A connection that was opened while its
# disk was read-only, for example, stays read-only.
BROKEN = {
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_PROTOCOL,
    sqlite3.SQLITE_NOMEM,
}
BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
OUTAGE = BROKEN | BUSY | {sqlite3.SQLITE_INTERRUPT}  # the last: a statement's time was up


def listen(engine: Engine, sync: str, seconds_left: Callable[[], float]) -> None:
    """Prepare an engine. `sync` is for the pragma `synchronous`; `seconds_left()` is how long a
    transaction may read."""

    @event.listens_for(engine, "do_connect")
    def make_private(*_: object) -> None:
        """Make a new file for its owner alone: SQLite gives its -wal and -shm the same mode."""
        path = engine.url.database or ""
        if not path.startswith("file:"):
            with suppress(OSError):  # it exists; SQLite reports any other error
                os.close(os.open(path, os.O_CREAT | os.O_EXCL, 0o600))

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, record: Any) -> None:
        connection.isolation_level = None  # we begin transactions ourselves
        for pragma in (*PRAGMAS, f"PRAGMA synchronous={sync}"):
            connection.execute(pragma)
        connection.create_function(SQLITE_FUNCTION, 1, time_from_now)
        patience = record.info["patience"] = Patience()
        connection.set_progress_handler(patience.go_on, STEPS)

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        immediate = bool(connection.get_execution_options().get("immediate"))
        connection.info["patience"].begin(immediate, seconds_left())
        if immediate:
            _begin_write(connection)
        else:
            connection.exec_driver_sql("BEGIN")

    @event.listens_for(engine, "handle_error")
    def explain(context: ExceptionContext) -> None:
        if context.connection:
            context.connection.info["patience"].raise_reason()
        if primary_code(context.original_exception) in BROKEN:
            context.is_disconnect = True  # the next one is opened anew


def primary_code(error: BaseException | None) -> int:
    """SQLite's result code without its details, 0 where there is none."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def _begin_write(connection: Connection) -> None:
    """Begin once no other process writes. SQLite's own wait would stop every greenlet."""
    driver = connection.connection.driver_connection
    assert driver
    deadline = time.monotonic() + BUSY_SECONDS
    while time.monotonic() < deadline:
        try:
            driver.execute("BEGIN IMMEDIATE")
            return
        except sqlite3.OperationalError as error:
            if primary_code(error) not in BUSY:
                break
        gevent.sleep(0.02)
    connection.exec_driver_sql("BEGIN IMMEDIATE")  # what it raises, SQLAlchemy handles


class Patience:
    """The progress handler: SQLite calls it during a statement, and asks whether to go on.

    An exception can't pass through SQLite. It ends the statement, and is raised afterwards.
    """

    def __init__(self) -> None:
        self._writing = False
        self._resumed = 0.0
        self._ends = float("inf")
        self._reason: BaseException | None = None

    def begin(self, writing: bool, seconds: float) -> None:
        self._writing = writing
        self._resumed = time.monotonic()
        self._ends = self._resumed + seconds

    def go_on(self) -> bool:
        """False lets the statement go on: SQLite asks whether to interrupt it."""
        if self._writing or time.monotonic() - self._resumed < SLICE:
            return False
        try:
            let_others_run()
        except BaseException as reason:  # noqa: BLE001 - raised again, once SQLite has ended
            self._reason = reason
        self._resumed = time.monotonic()
        return self._reason is not None or self._resumed > self._ends

    def raise_reason(self) -> None:
        reason, self._reason = self._reason, None
        if reason:
            raise reason
