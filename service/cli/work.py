"""Commands that do work of the service: `flask ask …`, `flask sweep`, `flask backup …`."""

from datetime import timedelta
from pathlib import Path

import click
from flask import current_app

from service.app_keys import APP_SETTINGS
from service.chat import autonomous
from service.chat.turn.pump import FAULT_TEXTS
from service.cli.database import with_database
from service.cli.sandbox import start_sandbox
from service.cli.terminal import TextArgument, print_prose
from service.integrations.idle_grants import refresh_idle
from service.providers.catalog import DEFAULT_MODEL, PROVIDER_KINDS
from service.providers.events import ProviderError
from service.upkeep import sweeping
from service.upkeep.backup import BackupRefused, copy_database
from service.web.errors import ServiceError

MOST_GRANTS = 10_000  # idle grants of one run


@click.command("ask")
@click.argument("text", type=TextArgument())
@click.option("--model", "model_id", type=click.Choice(list(PROVIDER_KINDS)), default=DEFAULT_MODEL)
@with_database()
def ask(text: str, model_id: str) -> None:
    """Ask a model. The owner pays, and tools act with the owner's rights."""
    app = current_app._get_current_object()  # type: ignore[attr-defined]
    start_sandbox()
    try:
        for piece in autonomous.ask(app, text, model_id):
            print_prose(piece)
    except ServiceError as error:
        raise click.ClickException(error.message) from None
    except ProviderError as error:
        raise click.ClickException(FAULT_TEXTS[error.fault]) from None
    click.echo()


@click.command("sweep")
@with_database()
def sweep() -> None:
    """End expired holds and lost turns and delete old rows now, as workers do periodically."""
    start_sandbox()
    counts = sweeping.sweep_patiently()
    days = APP_SETTINGS.of(current_app).grant_idle_days
    app = current_app._get_current_object()  # type: ignore[attr-defined]
    grants = refresh_idle(app, timedelta(days=days), MOST_GRANTS) if days else 0
    click.echo(
        f"{counts.holds} expired holds, {counts.turns} lost turns, {counts.changes} old changes, "
        f"{counts.entries} old journal entries, {counts.media} expired media, {grants} idle grants"
    )


@click.command("backup")
@click.argument("file", type=TextArgument())  # SQLite takes the name as UTF-8
@with_database(outdated=True)
def backup(file: str) -> None:
    """Copy the SQLite database to a new file, while the service runs."""
    try:
        size = copy_database(Path(file))
    except BackupRefused as refusal:
        raise click.ClickException(str(refusal)) from None
    click.echo(f"{file}: {size} bytes")
