"""The command `flask users erase`."""

from collections.abc import Iterator

import click
from flask import current_app

from config import ConfigError, Settings
from service.app_keys import APP_SETTINGS
from service.auth.tokens import UNREADABLE, peek
from service.billing.units import count_credits, to_credits
from service.chat.finding import index
from service.cli.database import STATEMENT_SECONDS, explain_failures, with_database
from service.cli.sandbox import start_sandbox
from service.cli.terminal import YES, TextArgument, confirm
from service.database.time_limits import time_limit
from service.extensions import db
from service.integrations.calling.proxy import PROXY
from service.media.sweeping import MEDIA_SWEEPER
from service.records.collection import APP_COLLECTIONS
from service.upkeep import erasing, inventories
from service.upkeep.inventories import Inventory

OTHER_OWNER = "Put a token of another subject into OWNER_TOKEN and reload the service first."


@click.command("erase")
@click.argument("subject", type=TextArgument())
@YES
@with_database(later=False)
def erase(subject: str, yes: bool) -> None:
    """Delete SUBJECT with all chats and records. The ledger stays, under a pseudonym."""
    connections = PROXY.of(current_app).connections
    collections = APP_COLLECTIONS.of(current_app)
    with time_limit(STATEMENT_SECONDS):
        stored = inventories.take(db.session(), subject, collections)
        db.session.commit()
    if not stored.is_known:
        raise click.ClickException(f"there is no user {subject}")
    settings = APP_SETTINGS.of(current_app)
    if subject == _owner(settings):
        raise click.ClickException(f"{subject} is the app's owner. {OTHER_OWNER}")
    if not yes:
        click.echo(f"Erasing {subject} can't be undone.")
        click.echo("\n".join(_describe(stored, "deletes", "keeps")))
    confirm(f"Erase {subject}?", yes)
    start_sandbox()
    with explain_failures(_advice(stored)), time_limit(STATEMENT_SECONDS):
        report = erasing.erase(subject, collections, connections)
    click.echo(f"{subject} is erased.")
    click.echo("\n".join(_describe(report.inventory, "deleted", "kept")))
    for integration, reason in report.unrevoked.items():
        text = f"{integration}: erased here, but not revoked at the provider ({reason})."
        click.echo(f"{text} The person can end the access in the account's own settings there.")
    if gateway := settings.integrations_gateway_url:
        click.echo(f"Connections and jobs are kept at {gateway}: erase the subject there too.")
    # Last, so that an error here does not prevent the output above. Workers sweep what remains.
    index.forget_deleted()
    MEDIA_SWEEPER.of(current_app).sweep()


def _owner(settings: Settings) -> str | None:
    """Return the subject of `OWNER_TOKEN`, which is not verified because it may have expired.

    Raises `ConfigError` if it is not set.
    """
    if not settings.owner_token:
        raise ConfigError("OWNER_TOKEN: must be set, because its subject is not erased")
    try:
        return str(peek(settings.owner_token)[1].get("sub"))
    except UNREADABLE:
        return None


def _advice(stored: Inventory) -> str:
    """Return what to do if the connection is lost: the erasure may have been committed."""
    if not stored.grants:
        return ""
    consequence = "If it then finds no such user, these grants are deleted but not revoked"
    return f"Run the command again. {consequence}: {', '.join(stored.grants)}."


def _describe(stored: Inventory, deletes: str, keeps: str) -> Iterator[str]:
    """Yield the lines about an erasure. `deletes` and `keeps` are verbs in the same tense."""
    counted = {**stored.records, "media": stored.media}
    counts = [f"{count} {name}" for name, count in counted.items() if count]
    yield f"  {deletes} records: {', '.join(counts) or 'none'}"
    yield f"  {deletes} grants: {', '.join(stored.grants) or 'none'}"
    kept = [f"{stored.turns} ai-turns"] if stored.turns else []
    if stored.balance is not None:
        kept.append(f"the ledger with a balance of {count_credits(to_credits(stored.balance))}")
    yield f"  {keeps} under a pseudonym: {', '.join(kept) or 'nothing'}"
