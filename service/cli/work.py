"""What an operator has the service do: `flask ask …`, `flask sweep`."""

import click
from flask import current_app
from flask.cli import with_appcontext

from service.chat import autonomous, sweeper
from service.chat.pump import FAULT_TEXTS
from service.errors import ServiceError
from service.providers.catalog import DEFAULT_MODEL, KINDS
from service.providers.events import ProviderError


@click.command("ask")
@click.argument("text")
@click.option("--model", "model_id", type=click.Choice(list(KINDS)), default=DEFAULT_MODEL)
@with_appcontext
def ask(text: str, model_id: str) -> None:
    """Ask a model without a caller; the owner pays, and the tools act with the owner's rights."""
    app = current_app._get_current_object()  # type: ignore[attr-defined]
    sandbox = app.extensions.get("sandbox")
    if sandbox:
        sandbox.start()
    try:
        for piece in autonomous.ask(app, text, model_id):
            click.echo(piece, nl=False)
    except ServiceError as error:
        raise click.ClickException(error.message) from None
    except ProviderError as error:
        raise click.ClickException(FAULT_TEXTS[error.fault]) from None
    click.echo()


@click.command("sweep")
@with_appcontext
def sweep() -> None:
    """End at once what nobody will end any more; the workers do it from time to time."""
    swept = sweeper.sweep_patiently()
    click.echo(
        f"{swept.holds} expired holds, {swept.turns} lost turns, {swept.changes} old changes, "
        f"{swept.entries} old journal entries"
    )
