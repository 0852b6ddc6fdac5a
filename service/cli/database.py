"""What a command on the database checks first, so that it ends in a line instead of a traceback."""

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import click
from flask import current_app
from flask.cli import with_appcontext
from sqlalchemy.exc import SQLAlchemyError

from config import Settings
from service.database.access import is_denied, is_outage
from service.database.revisions import is_migrated, stored_revision
from service.extensions import db

Command = Callable[..., Any]

DENIED = "permission denied: the role in DATABASE_URL has to own the database and its tables"
SANDBOX = 'For the service of "make run", put SANDBOX=1 in front of the command.'


def with_database(*, outdated: bool = False) -> Callable[[Command], Command]:
    """Run a command in the app's context if the database is migrated.

    With `outdated` the command also takes the tables of an earlier release. Otherwise it raises
    `click.ClickException`.
    """

    def decorate(command: Command) -> Command:
        @with_appcontext
        @wraps(command)
        def checked(*arguments: Any, **options: Any) -> Any:
            _check(outdated)
            return command(*arguments, **options)

        return checked

    return decorate


def _check(outdated: bool) -> None:
    """Raises `click.ClickException`."""
    revision = None if _is_absent() else _revision()
    if revision is None:
        raise click.ClickException(f"the database has no tables. {_advice()}")
    if not outdated and not is_migrated(revision):
        raise click.ClickException(f"the database is that of an earlier release. {_advice()}")


def _is_absent() -> bool:
    """Whether the file of SQLite is absent: a connection would make an empty one."""
    url = db.engine.url
    path = str(url.database)
    is_file = url.get_backend_name() == "sqlite" and not path.startswith("file:")
    return is_file and not Path(path).exists()


def _revision() -> str | None:
    try:
        return stored_revision()
    except SQLAlchemyError as error:
        if is_denied(error):
            raise click.ClickException(DENIED) from None
        if not is_outage(error):
            raise
        raise click.ClickException("the database does not answer") from None


def _advice() -> str:
    """What to run, and where the sandbox's own database may be meant."""
    settings: Settings = current_app.config["SETTINGS"]
    prefix = "SANDBOX=1 " if settings.sandbox else ""
    upgrade = f'Run "{prefix}flask --app wsgi db upgrade".'
    is_default = settings.database_url == Settings().database_url
    return f"{upgrade} {SANDBOX}" if is_default and not settings.sandbox else upgrade
