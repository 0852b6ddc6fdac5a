"""The database: options to open it, write transactions, time limits, and what is an outage.

SQLite is the embedded default. A read transaction that turns into a write fails there at once, so
writers begin with BEGIN IMMEDIATE behind one lock per process; its own wait for another writer
would block the whole event loop.
"""

import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from typing import Any

import psycopg
from flask import Flask
from gevent.lock import BoundedSemaphore
from sqlalchemy import make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, SQLAlchemyError, TimeoutError
from sqlalchemy.orm import Session

from config import ConfigError
from service import postgresql, sqlite
from service.extensions import db

STATEMENT_SECONDS = 10.0
POOL_SECONDS = 2  # to wait for a connection of the pool

_sqlite_writer = BoundedSemaphore(1)
_time_is_up: ContextVar[float | None] = ContextVar("time_is_up", default=None)


def engine_options(url: str, pool_size: int) -> dict[str, Any]:
    """SQLAlchemy engine options for this database URL. Raises `ConfigError`."""
    pool = {
        "pool_size": pool_size,
        "max_overflow": 0,
        "pool_timeout": POOL_SECONDS,
        "hide_parameters": True,  # an error's text would repeat them
    }
    if _is_sqlite(url):
        return pool
    connecting = postgresql.arguments(STATEMENT_SECONDS)
    return {**pool, "pool_pre_ping": True, "connect_args": connecting}


def _is_sqlite(url: str) -> bool:
    try:
        parsed = make_url(url)
    except ArgumentError:
        parsed = None
    if parsed and parsed.drivername == "postgresql+psycopg":
        return False
    if parsed and parsed.get_backend_name() == "sqlite" and parsed.database:
        return True
    # In memory, every pooled connection would be a database of its own.
    raise ConfigError("DATABASE_URL: must be sqlite:///path or postgresql+psycopg://…")


def init_app(app: Flask, sqlite_sync: str) -> None:
    with app.app_context():
        if db.engine.dialect.name == "sqlite":
            sqlite.listen(db.engine, sqlite_sync, _seconds_left)
        else:
            postgresql.listen(db.engine, _seconds_left, limited, _is_limited)


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Within this context no statement runs longer than `seconds` from now: the database ends it.

    Infinity lifts every limit.
    """
    token = _time_is_up.set(time.monotonic() + seconds)
    try:
        yield
    finally:
        _time_is_up.reset(token)


def _seconds_left() -> float:
    up = _time_is_up.get()
    return STATEMENT_SECONDS if up is None else max(up - time.monotonic(), 0.001)


def _is_limited() -> bool:
    return _time_is_up.get() is not None


def is_outage(error: SQLAlchemyError) -> bool:
    """Whether the database is away or can't work for now; False if it refused the statement."""
    if isinstance(error, TimeoutError):
        return True  # no connection became free
    if not isinstance(error, DBAPIError):
        return False
    if error.connection_invalidated or sqlite.primary_code(error.orig) in sqlite.OUTAGE:
        return True
    return postgresql.is_outage(error.orig)


def long_lived() -> psycopg.Connection:
    """A PostgreSQL connection outside of the pool, for listening. Needs an app context.

    Raises `psycopg.Error`.
    """
    url = db.engine.url.set(drivername="postgresql").render_as_string(hide_password=False)
    return psycopg.connect(url, autocommit=True, connect_timeout=postgresql.CONNECT_SECONDS)


@contextmanager
def write_transaction() -> Iterator[Session]:
    """One write transaction: committed on leaving, rolled back when anything is raised.

    A read transaction that is still open is ended first, for a write never grows out of one.
    """
    session = db.session()
    session.commit()
    with _writer_lock(), session.begin():
        session.connection(execution_options={"immediate": True})
        yield session


def _writer_lock() -> AbstractContextManager[Any]:
    return _sqlite_writer if db.engine.dialect.name == "sqlite" else nullcontext()
