"""Run only one migration of a database at a time.

Without the lock, hosts that start together would run each step twice.

A process does not wait for the lock inside the database. PostgreSQL builds an index beside running
writes only when older transactions have ended, and a statement that waits is such a transaction.
"""

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import gevent
from sqlalchemy import Connection, text
from sqlalchemy.exc import SQLAlchemyError

RETRY_SECONDS = 0.25  # between two tries
KEYS = "1835623282, 1"  # two numbers; the service's other advisory locks have one larger number
LOCK = text(f"SELECT pg_try_advisory_lock({KEYS})")
UNLOCK = text(f"SELECT pg_advisory_unlock({KEYS})")


@contextmanager
def migration_lock(connection: Connection, tell: Callable[[], None]) -> Iterator[None]:
    """Wait until no other process migrates the database. `tell` is called once if one does."""
    is_sqlite = connection.dialect.name == "sqlite"
    with (_of_directory if is_sqlite else _of_session)(connection, tell):
        yield


@contextmanager
def _of_session(connection: Connection, tell: Callable[[], None]) -> Iterator[None]:
    """Hold a lock of the session on PostgreSQL. It lasts over several transactions."""

    def try_it() -> bool:
        is_mine = bool(connection.scalar(LOCK))
        connection.commit()
        return is_mine

    _wait(try_it, tell)
    try:
        yield
    finally:
        with suppress(SQLAlchemyError):  # a lock ends with its session
            connection.rollback()
            connection.scalar(UNLOCK)
            connection.commit()


@contextmanager
def _of_directory(connection: Connection, tell: Callable[[], None]) -> Iterator[None]:
    """Lock the directory of SQLite's file. Closing the file itself would end SQLite's own locks."""
    try:
        directory = os.open(Path(connection.engine.url.database or "").parent, os.O_RDONLY)
    except OSError:  # SQLite reports the error later
        yield
        return

    def try_it() -> bool:
        try:
            fcntl.flock(directory, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:  # a file system such as NFS can't lock directories
            return True
        return True

    try:
        _wait(try_it, tell)
        yield
    finally:
        with suppress(OSError):
            fcntl.flock(directory, fcntl.LOCK_UN)  # gevent closes the descriptor later
        os.close(directory)


def _wait(try_it: Callable[[], bool], tell: Callable[[], None]) -> None:
    if try_it():
        return
    tell()
    while not try_it():
        gevent.sleep(RETRY_SECONDS)
