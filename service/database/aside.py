"""SQLite: the statements of a long write run in a thread, so that other greenlets go on meanwhile.

A deleted text is divided into words once more, to take them out of the search index: 70 µs for
each KB, in one statement for all messages of a chat. Other writers wait for the lock of the
process.
Source: docs/decisions/0006-long-reads-let-others-run.md.
"""

import sqlite3
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from typing import Any

from gevent.threadpool import ThreadPool
from sqlalchemy import Connection, Engine, event

from service.database import checkpoints
from service.database.pool import INTERRUPTIONS

ASIDE = "aside"  # an execution option, of a statement or of a connection for one transaction
INTERRUPT_SECONDS = 0.05  # between two tries to interrupt a statement that has not begun


@cache
def _thread() -> ThreadPool:
    """One thread for this process, which has one writer at a time."""
    return ThreadPool(1)


def prepare_engine(engine: Engine) -> None:
    """Let long writes of this engine run in the thread. Their commits copy no log, see
    `CommitSync.commit_aside`."""

    @event.listens_for(engine, "do_execute")
    def execute(cursor: Any, statement: str, parameters: Any, context: Any) -> bool:
        if not context.execution_options.get(ASIDE):
            return False
        _run(cursor, lambda: cursor.execute(statement, parameters))
        return True

    @event.listens_for(engine, "do_executemany")
    def execute_many(cursor: Any, statement: str, rows: Any, context: Any) -> bool:
        if not context.execution_options.get(ASIDE):
            return False
        _run(cursor, lambda: cursor.executemany(statement, rows))
        return True

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        if connection.get_execution_options().get(ASIDE):
            driver: Any = connection.connection.dbapi_connection
            driver.execute("PRAGMA wal_autocheckpoint=0")
            connection.info[ASIDE] = True

    @event.listens_for(engine, "checkin")
    def end(driver: Any, record: Any) -> None:
        if record.info.pop(ASIDE, None) and driver:
            driver.execute(f"PRAGMA wal_autocheckpoint={checkpoints.PAGES}")


def _run(cursor: sqlite3.Cursor, work: Callable[[], object]) -> None:
    """Run it in the thread. Whatever interrupts the wait interrupts the statement."""
    task: Any = _thread().spawn(_try, work)
    try:
        error = task.get()
    except INTERRUPTIONS:
        _interrupt(cursor, task)
        raise
    if error:
        raise error


def _interrupt(cursor: sqlite3.Cursor, task: Any) -> None:
    """Return when the statement has ended, and its transaction: nobody may use the connection
    before. Further interruptions of the wait change nothing."""
    while not task.ready():
        cursor.connection.interrupt()
        with suppress(*INTERRUPTIONS):
            task.wait(INTERRUPT_SECONDS)
    cursor.close()  # an interruption is in force until no statement is open
    with suppress(sqlite3.Error):
        cursor.connection.rollback()  # to close it is not enough while somebody has a cursor


def _try(work: Callable[[], object]) -> Exception | None:
    """In the thread: the usual errors, which would be printed if raised there."""
    try:
        work()
    except (sqlite3.Error, sqlite3.Warning, OverflowError, UnicodeError, MemoryError) as error:
        return error
    return None
