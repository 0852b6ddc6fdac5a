"""The keys that seal tokens at rest: `flask keys …`."""

import base64
import secrets

import click
from flask import current_app
from flask.cli import with_appcontext

from service.integrations import rotation
from service.integrations.seal import Sealer

keys = click.Group("keys", help="Keys that seal tokens at rest.")


@keys.command("new")
def new() -> None:
    """Print a fresh key, to be put first in TOKEN_ENCRYPTION_KEYS."""
    key = base64.b64encode(secrets.token_bytes(32)).decode()
    click.echo(f"k{secrets.token_hex(4)}:{key}")


@keys.command("rotate")
@with_appcontext
def rotate() -> None:
    """Seal with the first key what the others have sealed; after that they can go."""
    sealer = Sealer(current_app.config["SETTINGS"].token_encryption_keys)
    done = rotation.rotate(sealer)
    click.echo(f"{done.resealed} sealed again, {done.unopened} could not be opened")
