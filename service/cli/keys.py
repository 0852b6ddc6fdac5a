"""Commands about the keys that encrypt stored tokens: `flask keys …`."""

import base64
import secrets

import click
from flask import current_app

from service.app_keys import APP_SETTINGS
from service.cli.database import STATEMENT_SECONDS, with_database
from service.database.time_limits import time_limit
from service.sealing.seal import Sealer
from service.upkeep import rotation

keys = click.Group("keys", help="Keys that encrypt stored tokens.")


@keys.command("new")
def new() -> None:
    """Print a new key, to be put last in TOKEN_ENCRYPTION_KEYS, and first once all have it."""
    key = base64.b64encode(secrets.token_bytes(32)).decode()
    click.echo(f"k{secrets.token_hex(4)}:{key}")


@keys.command("rotate")
@with_database()
def rotate() -> None:
    """Encrypt with the first key what other keys have encrypted. They can be removed then."""
    sealer = Sealer(APP_SETTINGS.of(current_app).token_encryption_keys)
    with time_limit(STATEMENT_SECONDS):  # it reads whole tables to find the texts
        result = rotation.rotate(sealer)
    click.echo(f"{result.resealed} sealed again, {result.unopened} could not be opened")
