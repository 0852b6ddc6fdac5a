"""How each database is opened and written to.

SQLite is the embedded default. Its own busy wait blocks the whole event loop, and a read
transaction that turns into a write fails at once, so writers begin with BEGIN IMMEDIATE behind
one lock per process, and nothing inside a write transaction may switch greenlets. A long read
does: it lets others run every few thousand steps, and so can be interrupted.
"""

import os
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from contextvars import ContextVar
from typing import Any

import psycopg
import psycopg.waiting
from flask import Flask
from gevent.lock import BoundedSemaphore
from sqlalchemy import Connection, Engine, ExceptionContext, event, make_url
from sqlalchemy.exc import ArgumentError
from sqlalchemy.orm import Session

from config import ConfigError
from service.clock import SQLITE_FUNCTION, time_from_now
from service.extensions import db
from service.lifecycle import let_others_run

PRAGMAS = (
    "PRAGMA journal_mode=WAL",
    "PRAGMA synchronous=NORMAL",
    "PRAGMA busy_timeout=5000",
    "PRAGMA foreign_keys=ON",
)
STATEMENT_SECONDS = 30.0
STEPS = 50  # of SQLite's virtual machine: microseconds, but milliseconds where values are large
SLICE = 0.001  # seconds that a read takes before it lets others run

_sqlite_writer = BoundedSemaphore(1)
_time_is_up: ContextVar[float | None] = ContextVar("time_is_up", default=None)


def engine_options(url: str, pool_size: int) -> dict[str, Any]:
    """SQLAlchemy engine options for this database URL. Raises `ConfigError`."""
    pool = {
        "pool_size": pool_size,
        "max_overflow": 0,
        "pool_timeout": 10,
        "hide_parameters": True,  # an error's text would repeat them
    }
    if _is_sqlite(url):
        return pool
    limit = f"-c statement_timeout={round(STATEMENT_SECONDS * 1000)}"
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
            _listen_postgresql(db.engine)


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Within this, no statement goes on after `seconds` from now: the database ends it."""
    token = _time_is_up.set(time.monotonic() + seconds)
    try:
        yield
    finally:
        _time_is_up.reset(token)


def _seconds_left() -> float:
    up = _time_is_up.get()
    return STATEMENT_SECONDS if up is None else max(up - time.monotonic(), 0.001)


def _listen_postgresql(engine: Engine) -> None:
    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        if _time_is_up.get() is not None:
            limit = round(_seconds_left() * 1000) or 1
            connection.exec_driver_sql(f"SET LOCAL statement_timeout = {limit}")


def long_lived() -> psycopg.Connection:
    """A PostgreSQL connection outside of the pool, for listening. Needs an app context.

    Raises `psycopg.Error`.
    """
    url = db.engine.url.set(drivername="postgresql").render_as_string(hide_password=False)
    return psycopg.connect(url, autocommit=True, connect_timeout=5)


def _check_waiting() -> None:
    """psycopg imported before gevent patched the process waits in C, and every query then stops
    all greenlets: ten parallel half-second queries took five seconds."""
    if psycopg.waiting.wait is getattr(psycopg.waiting, "wait_c", None):
        raise RuntimeError("psycopg was imported before gevent's monkey patching")


def _listen_sqlite(engine: Engine) -> None:
    @event.listens_for(engine, "do_connect")
    def make_private(*_: object) -> None:
        """Make a new file for our eyes only: SQLite gives its -wal and -shm the same rights."""
        path = engine.url.database or ""
        if not path.startswith("file:"):
            with suppress(OSError):  # it is there; what else is wrong, SQLite will say
                os.close(os.open(path, os.O_CREAT | os.O_EXCL, 0o600))

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, record: Any) -> None:
        connection.isolation_level = None  # we begin transactions ourselves
        for pragma in PRAGMAS:
            connection.execute(pragma)
        connection.create_function(SQLITE_FUNCTION, 1, time_from_now)
        patience = record.info["patience"] = Patience()
        connection.set_progress_handler(patience.go_on, STEPS)

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        immediate = bool(connection.get_execution_options().get("immediate"))
        connection.info["patience"].begin(writing=immediate)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if immediate else "BEGIN")

    @event.listens_for(engine, "handle_error")
    def explain(context: ExceptionContext) -> None:
        if context.connection:
            context.connection.info["patience"].raise_reason()


class Patience:
    """How SQLite asks, in the midst of a statement, whether it shall go on.

    An exception can't pass through SQLite: it ends the statement and is raised afterwards.
    """

    def __init__(self) -> None:
        self._writing = False
        self._resumed = 0.0
        self._ends = float("inf")
        self._reason: BaseException | None = None

    def begin(self, writing: bool) -> None:
        self._writing = writing
        self._resumed = time.monotonic()
        self._ends = self._resumed + _seconds_left()

    def go_on(self) -> bool:
        """False lets it go on, for that is how SQLite puts the question."""
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
