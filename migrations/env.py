"""Runs the migrations: one history for SQLite and PostgreSQL."""

from pathlib import Path

import click
from alembic import context
from flask import current_app
from sqlalchemy import Connection

from config import INSTANCE
from service.cli.database import explain_failures
from service.column_types import UTCDateTime
from service.database.migration_lock import migration_lock
from service.database.revisions import revisions
from service.database.time_limits import time_limit
from service.sandbox.suite import models  # noqa: F401 - loaded elsewhere only with the sandbox

migrate = current_app.extensions["migrate"]
engine = migrate.db.engine
sqlite = engine.dialect.name == "sqlite"
WAITING = "Another command migrates this database. Waiting for its end."
LOCK_SECONDS = 4  # whoever asks for a table that we wait for, waits too, and gives up after ten


def render_type(kind: str, item: object, _context: object) -> str | bool:
    """A migration names only SQLAlchemy's own types: it must run when ours have changed."""
    if kind == "type" and isinstance(item, UTCDateTime):
        return "sa.DateTime(timezone=True)"
    return False


def is_mapped(item: object, name: str | None, *_: object) -> bool:
    """Whether a model has it. The indexes of the search over chats are the databases' own."""
    return not (name or "").startswith("search_")


def run(connection: Connection) -> None:
    context.configure(
        connection=connection,
        target_metadata=migrate.db.metadata,
        render_item=render_type,
        include_object=is_mapped,
        # Each with its own tables locked only: workers that serve meanwhile lock in other orders.
        transaction_per_migration=True,
        **migrate.configure_args,
    )
    with context.begin_transaction():
        if later := later_revision():
            click.echo(
                f"A later release has migrated this database, to {later}. It stays as it is."
            )
        else:
            context.run_migrations()


def later_revision() -> str | None:
    """The database's revision, if it is not this release's and the command is an upgrade.

    A release that is taken back runs on what the later one has added.
    """
    made = context.get_context()
    stored = made.get_current_revision()
    is_upgrade = made.opts["fn"].__name__ == "upgrade"  # alembic.command's name for what to do
    return stored if is_upgrade and stored not in (None, *revisions()[1]) else None


def run_online() -> None:
    if sqlite and Path(engine.url.database).parent == INSTANCE:
        INSTANCE.mkdir(mode=0o700, exist_ok=True)  # SQLite makes the file, not its directory
    # Workers may be writing: SQLite refuses to turn a read into a write that has to wait.
    connecting = engine.connect().execution_options(immediate=True)
    with connecting as connection, migration_lock(connection, lambda: click.echo(WAITING)):
        run_on_sqlite(connection) if sqlite else run_on_postgresql(connection)
    engine.dispose()


def run_on_sqlite(connection: Connection) -> None:
    # Batch mode makes a table anew, and with foreign keys on that would delete its children
    # without an error. The pragma counts only outside a transaction.
    driver = connection.connection.driver_connection
    driver.execute("PRAGMA foreign_keys=OFF")
    driver.execute("PRAGMA synchronous=FULL")  # no writer here waits for a shared sync
    run(connection)
    connection.commit()
    broken = driver.execute("PRAGMA foreign_key_check").fetchall()
    driver.execute("PRAGMA foreign_keys=ON")
    if broken:
        raise RuntimeError(f"rows without their parent after migrating: {broken[:5]}")


def run_on_postgresql(connection: Connection) -> None:
    connection.exec_driver_sql(f"SET lock_timeout = '{LOCK_SECONDS}s'")
    connection.commit()
    run(connection)
    connection.commit()


if context.is_offline_mode():
    raise SystemExit("Migrations run on a database; offline SQL is not supported.")

# A migration takes as long as it takes.
with explain_failures(), time_limit(float("inf")):
    run_online()
