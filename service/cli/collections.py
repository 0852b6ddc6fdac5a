"""The app's collections for developers: `flask collections …`."""

import click
from flask import current_app
from flask.cli import with_appcontext

from service.records import typings
from service.records.collection import APP_COLLECTIONS

collections = click.Group("collections", help="The collections of records.")


@collections.command("types")
@with_appcontext
def types() -> None:
    """Print the TypeScript types of all collections."""
    click.echo("".join(typings.declarations(APP_COLLECTIONS.of(current_app))), nl=False)
