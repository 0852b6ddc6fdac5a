"""Commands that do the service's work: `flask ask …`, `flask sweep`."""

import click
from flask import current_app
from flask.cli import with_appcontext

from service.chat import autonomous
from service.chat.turn.pump import FAULT_TEXTS
from service.providers.catalog import DEFAULT_MODEL, KINDS
from service.providers.events import ProviderError
from service.upkeep import sweeping
from service.web.errors import ServiceError


@click.command("ask")
@click.argument("text")
@click.option("--model", "model_id", type=click.Choice(list(KINDS)), default=DEFAULT_MODEL)
@with_appcontext
def ask(text: str, model_id: str) -> None:
    """Ask a model. The owner pays, and tools act with the owner's rights."""
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
    """End expired holds and lost turns and delete old rows now, as workers do periodically."""
    counts = sweeping.sweep_patiently()
    click.echo(
        f"{counts.holds} expired holds, {counts.turns} lost turns, {counts.changes} old changes, "
        f"{counts.entries} old journal entries, {counts.media} expired media"
    )
