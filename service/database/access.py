"""Access to the database: engine options, write transactions and outages.

SQLite is the default. On SQLite a read transaction that becomes a write may fail at once, so
writers begin with BEGIN IMMEDIATE. They take a lock of the process first, because SQLite's own wait
for another writer would block the event loop.
"""

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import gevent
import structlog
from flask import Flask, current_app
from sqlalchemy import URL, Connection, Engine, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, SQLAlchemyError, TimeoutError
from sqlalchemy.orm import Session

from config import ConfigError
from service.app_keys import AppKey
from service.database import sqlite
from service.database.kept_transaction import KeptTransaction
from service.database.pool import CountedPool, count_connections
from service.database.prepared import READ_ENGINE
from service.database.statements import Statements
from service.extensions import db
from service.json_encoding import encoder
from service.lazy import DeferredModule
from service.observing.sampler import SAMPLER

AFTER_COMMIT = "after_commit"  # key of a connection's info
POOL_SECONDS = 2  # to wait for a connection from the pool
BACKGROUND_SECONDS = 5.0  # a database that hangs longer counts as unavailable
COMMIT_SYNC = AppKey[sqlite.Commits]("commit_sync")
WRITE_ENGINE = AppKey[Engine]("write_engine")

_encode = encoder(ensure_ascii=True, separators=(", ", ": "))  # as json.dumps
log = structlog.get_logger("database")
postgresql = DeferredModule("service.database.postgresql")  # it loads the driver: 6 MB


def write_json(value: Any) -> str:
    """Return the JSON of a column's value.

    psycopg makes a class for each function that writes JSON, and identifies the function by its
    code. For a closure it would warn of a leak, and make a new class for each engine.
    """
    return _encode(value)


def engine_options(url: str, pool_size: int) -> dict[str, Any]:
    """Return SQLAlchemy's engine options for this database URL. Raises `ConfigError`."""
    pool = {
        "poolclass": CountedPool,
        "pool_size": pool_size,
        "max_overflow": 0,
        "pool_timeout": POOL_SECONDS,
        # The last used connection has the newest pages, plans and statements in its caches.
        "pool_use_lifo": True,
        "hide_parameters": True,  # errors would repeat them in their texts
        "json_serializer": write_json,
    }
    if _is_sqlite(url):
        return pool
    make_url(url).get_dialect()  # loads modules, in the master too, so that workers inherit them
    arguments = postgresql.connect_arguments()
    return {**pool, "pool_pre_ping": True, "connect_args": arguments}


def _is_sqlite(url: str) -> bool:
    try:
        parts = make_url(url)
    except (ArgumentError, ValueError):  # the error's text has a part of the password
        parts = None
    if parts and parts.drivername == "postgresql+psycopg" and not _has_rest_of_password(parts, url):
        return False
    if parts and parts.drivername in ("sqlite", "sqlite+pysqlite") and _is_file(parts):
        _check_path(parts)
        return True
    raise ConfigError(
        "DATABASE_URL: must be sqlite:///path or postgresql+psycopg://…, "
        "with @, :, / and ? of a password percent-encoded"
    )


def _has_rest_of_password(parts: URL, url: str) -> bool:
    """Return whether a password has an @ that is not encoded.

    The rest of the password is then read as the host's name, or after a ? as options, and the texts
    of errors repeat it.
    """
    options = url.partition("?")[2].split("&") if parts.password else []
    odd = [one for one in options if "=" not in one or not parts.database]  # probably not options
    return "@" in f"{parts.host}{odd}" or {"@", "/"} <= set(parts.database or "")


def _is_file(parts: URL) -> bool:
    """Return whether an SQLite URL names a file.

    In memory, every pooled connection would have its own database.
    """
    in_memory = parts.database == ":memory:" or parts.query.get("mode") == "memory"
    return bool(parts.database) and not in_memory


def _check_path(parts: URL) -> None:
    """Raise `ConfigError` for a URI: syncing and protecting the file needs its path."""
    if str(parts.database).startswith("file:") or "uri" in parts.query:
        raise ConfigError("DATABASE_URL: must be a path behind sqlite:///, not file:… or ?uri=…")


def init_app(app: Flask, sqlite_sync: str) -> None:
    with app.app_context():
        if db.engine.dialect.name == "sqlite":
            COMMIT_SYNC.set(app, sqlite.prepare_engine(db.engine, sqlite_sync))
            READ_ENGINE.set(app, db.engine)
        else:
            postgresql.prepare_engine(db.engine)
            READ_ENGINE.set(app, db.engine.execution_options(isolation_level="AUTOCOMMIT"))
        WRITE_ENGINE.set(app, db.engine)
        count_connections(SAMPLER.of(app), db.engine)
    # Replace Flask-SQLAlchemy's own function, which may raise.
    app.teardown_appcontext_funcs[:] = [
        end for end in app.teardown_appcontext_funcs if getattr(end, "__self__", None) is not db
    ]
    app.teardown_appcontext(_close_session)


def _close_session(error: BaseException | None) -> None:
    """Close the session. A failure is only logged, because the request's answer is already made.

    A session that is not removed would be used by a later context. If a read is interrupted between
    two of its rows, its statement stays open as long as the traceback exists. On SQLite such a
    connection can't write, because it still reads the old state of the database.
    """
    if not db.session.registry.has():
        return
    session = db.session()
    is_interrupted = error is not None and not isinstance(error, Exception)
    try:
        if is_interrupted and session.get_bind().dialect.name == "sqlite":
            session.invalidate()
        session.close()
    except SQLAlchemyError as failure:
        log.warning("session not closed", error=type(failure).__name__)
        session.invalidate()
    finally:
        db.session.registry.clear()


def is_outage(error: SQLAlchemyError) -> bool:
    """Return whether the database is unavailable, rather than has refused the statement."""
    if isinstance(error, TimeoutError):
        return True  # no connection became free
    if not isinstance(error, DBAPIError):
        return False
    if error.connection_invalidated:
        return True
    if isinstance(error.orig, sqlite3.Error):
        return sqlite.primary_code(error.orig) in sqlite.OUTAGE
    outage: bool = postgresql.is_outage(error.orig)
    return outage


@contextmanager
def write_transaction() -> Iterator[Session]:
    """Run a write transaction, which is committed on exit and rolled back on an exception.

    On exit the commit is on disk, unless `SQLITE_SYNC` says otherwise. An open read transaction is
    committed first.
    """
    session = db.session()
    session.commit()
    with _writer_lock(db.engine), session.begin():
        connection = session.connection(execution_options={"immediate": True})
        calls = connection.info[AFTER_COMMIT] = {}
        yield session
    _end(current_app, calls)


@contextmanager
def background_context(app: Flask) -> Iterator[None]:
    """Run work that no request waits for in an app context.

    Raises `gevent.Timeout` in it after `BACKGROUND_SECONDS`.
    """
    with gevent.Timeout(BACKGROUND_SECONDS), app.app_context():
        yield


@contextmanager
def background_transaction(app: Flask) -> Iterator[Session]:
    """Run a write transaction in a `background_context`."""
    with background_context(app), write_transaction() as session:
        yield session


@contextmanager
def core_transaction(app: Flask, durable: bool = True) -> Iterator[Statements]:
    """Run a write transaction without a session of the ORM, which would take as long as several
    statements. It needs no app context, and another transaction of the caller stays open.

    On SQLite the caller does not wait until a commit that is not `durable` is on disk. A power cut
    may undo it, but also ends the process that relies on it. It is on disk with the next durable
    commit. It may not change records, because nobody may learn of a change that may be undone.
    """
    engine = WRITE_ENGINE.of(app)
    with _writer_lock(engine), KeptTransaction(engine, immediate=True) as connection:
        calls = connection.info[AFTER_COMMIT] = {}
        yield CoreTransaction(connection)
    assert durable or not calls
    _end(app, calls, durable)


class CoreTransaction:
    """`Statements` on a connection without a session of the ORM."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self.execute = connection.execute
        self.scalar = connection.scalar
        self.scalars = connection.scalars

    def connection(self) -> Connection:
        return self._connection


def _end(app: Flask, calls: Iterable[Callable[[], None]], durable: bool = True) -> None:
    """Call the registered functions after a commit, then wait for the disk."""
    for call in calls:
        call()
    if durable and (commits := COMMIT_SYNC.get(app)):
        commits.wait()


def call_after_commit(connection: Connection, call: Callable[[], None]) -> None:
    """Call a function once, after the write transaction of this connection has committed.

    Others can then read the commit, though it may not be on disk yet.
    """
    connection.info.setdefault(AFTER_COMMIT, {})[call] = True


def _writer_lock(engine: Engine) -> AbstractContextManager[Any]:
    return sqlite.writer_lock if engine.dialect.name == "sqlite" else nullcontext()
