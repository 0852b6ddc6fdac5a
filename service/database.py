"""How each database is opened and written to.

SQLite is the embedded default. Its own busy wait blocks the whole event loop, and a read
transaction that turns into a write fails at once, so writers begin with BEGIN IMMEDIATE behind
one lock per process, and nothing inside a write transaction may switch greenlets.
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import psycopg.waiting
from flask import Flask
from gevent.lock import BoundedSemaphore
from sqlalchemy import Connection, Engine, event, make_url
from sqlalchemy.exc import ArgumentError
from sqlalchemy.orm import Session

from config import ConfigError
from service.extensions import db

PRAGMAS = (
    "PRAGMA journal_mode=WAL",
    "PRAGMA synchronous=NORMAL",
    "PRAGMA busy_timeout=5000",
    "PRAGMA foreign_keys=ON",
    "PRAGMA case_sensitive_like=ON",  # as PostgreSQL compares
)
STATEMENT_TIMEOUT_MS = 30_000

_sqlite_writer = BoundedSemaphore(1)


def engine_options(url: str, pool_size: int) -> dict[str, Any]:
    """SQLAlchemy engine options for this database URL. Raises `ConfigError`."""
    pool = {"pool_size": pool_size, "max_overflow": 0, "pool_timeout": 10}
    if _is_sqlite(url):
        return pool
    limit = f"-c statement_timeout={STATEMENT_TIMEOUT_MS}"
    arguments = {"connect_timeout": 5, "options": limit, "application_name": "service"}
    return {**pool, "pool_pre_ping": True, "connect_args": arguments}


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


def init_app(app: Flask) -> None:
    with app.app_context():
        if db.engine.dialect.name == "sqlite":
            _listen_sqlite(db.engine)
        else:
            _check_waiting()


def _check_waiting() -> None:
    """psycopg imported before gevent patched the process waits in C, and every query then stops
    all greenlets: ten parallel half-second queries took five seconds."""
    if psycopg.waiting.wait is getattr(psycopg.waiting, "wait_c", None):
        raise RuntimeError("psycopg was imported before gevent's monkey patching")


def _listen_sqlite(engine: Engine) -> None:
    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _record: object) -> None:
        connection.isolation_level = None  # we begin transactions ourselves
        for pragma in PRAGMAS:
            connection.execute(pragma)

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        immediate = connection.get_execution_options().get("immediate")
        connection.exec_driver_sql("BEGIN IMMEDIATE" if immediate else "BEGIN")


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
