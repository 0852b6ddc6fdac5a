"""Check the database before a command, and explain failures in a line without a traceback."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Any

import click
from flask import current_app
from flask.cli import with_appcontext
from sqlalchemy.exc import SQLAlchemyError

from config import Settings
from service.app_keys import APP_SETTINGS
from service.database import detached
from service.database.failures import failure_of
from service.database.refresh_leases import LONGEST_LEASE
from service.database.revisions import is_later, is_migrated, stored_revision
from service.extensions import db

Command = Callable[..., Any]

# Seconds for a statement on very many rows, which would exceed the usual limit at every try.
STATEMENT_SECONDS = 3600.0
SANDBOX = 'For the service of "make run", put SANDBOX=1 in front of the command.'
LATER = "Run this command from that release: here not everything in the database is known."


def with_database(*, outdated: bool = False, later: bool = True) -> Callable[[Command], Command]:
    """Run a command in the app's context if the database is migrated.

    With `outdated` the command also accepts the tables of an earlier release, and without `later`
    it does not accept those of a later one. It raises `click.ClickException` for the others.
    """

    def decorate(command: Command) -> Command:
        @with_appcontext
        @wraps(command)
        def checked(*arguments: Any, **options: Any) -> Any:
            with explain_failures():
                _check(outdated, later)
                try:
                    return command(*arguments, **options)
                finally:  # also after Ctrl+C
                    detached.finish(LONGEST_LEASE.total_seconds())

        return checked

    return decorate


@contextmanager
def explain_failures(advice: str = "") -> Iterator[None]:
    """Explain in one line why the database can't be used, with the advice.

    Raises `click.ClickException`. An error that the database did not cause is raised unchanged.
    """
    try:
        yield
    except SQLAlchemyError as error:
        reason = failure_of(error)
        if reason is None:
            raise
        raise click.ClickException(f"{reason}. {advice}" if advice else reason) from None


def _check(outdated: bool, later: bool) -> None:
    """Check that the database is migrated. Raises `click.ClickException`."""
    revision = None if _is_absent() else stored_revision()
    if revision is None:
        raise click.ClickException(f"the database has no tables. {_advice()}")
    if not outdated and not is_migrated(revision):
        raise click.ClickException(f"the database is that of an earlier release. {_advice()}")
    if not later and is_later(revision):
        raise click.ClickException(f"the database is that of a later release. {LATER}")


def _is_absent() -> bool:
    """Return whether SQLite's file is missing: a connection would create an empty one."""
    url = db.engine.url
    return url.get_backend_name() == "sqlite" and not Path(str(url.database)).exists()


def _advice() -> str:
    """Return which command to run, and a hint if the sandbox's database may be meant."""
    settings = APP_SETTINGS.of(current_app)
    prefix = "SANDBOX=1 " if settings.sandbox else ""
    upgrade = f'Run "{prefix}flask --app wsgi db upgrade".'
    is_default = settings.database_url == Settings().database_url
    return f"{upgrade} {SANDBOX}" if is_default and not settings.sandbox else upgrade
