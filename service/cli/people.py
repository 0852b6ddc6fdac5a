"""Commands about tokens and users: `flask token …`, `flask users …`."""

import re
from typing import NoReturn

import click
from flask import current_app
from flask.cli import with_appcontext

from config import Settings
from service.auth import users as accounts
from service.auth.tokens import issue
from service.upkeep import erasing, rights

UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}

token = click.Group("token", help="Bearer tokens.")
users = click.Group("users", help="Users and their rights.")


class Duration(click.ParamType):
    """A duration such as `90s`, `30m`, `8h` or `7d`, converted to seconds."""

    name = "duration"

    def convert(self, value: object, param: object, ctx: object) -> int:
        match = re.fullmatch(r"([1-9]\d{0,5})([smhd])", str(value))
        if not match:
            self.fail("must be a number with s, m, h or d, such as 8h")
        return int(match[1]) * UNITS[match[2]]


@token.command("issue")
@click.argument("subject")
@click.option("--role", default="user", show_default=True)
@click.option("--ttl", type=Duration(), default="8h", show_default=True)
@with_appcontext
def issue_token(subject: str, role: str, ttl: int) -> None:
    """Print a token for SUBJECT, signed with AUTH_SECRET."""
    settings: Settings = current_app.config["SETTINGS"]
    try:
        click.echo(issue(settings, subject, role, ttl))
    except ValueError as error:
        raise click.ClickException(str(error)) from None


@users.command("list")
@with_appcontext
def list_users() -> None:
    """Print all users: subject, role that overrides the token's, whether disabled."""
    for user in accounts.all_users():
        click.echo(f"{user.subject}\t{user.role or '-'}\t{'disabled' if user.disabled else ''}")


@users.command("disable")
@click.argument("subject")
@click.option("--undo", is_flag=True, help="Enable the user again.")
@with_appcontext
def disable(subject: str, undo: bool) -> None:
    """Refuse SUBJECT's tokens. This takes effect within two seconds."""
    if not rights.set_disabled(subject, not undo):
        _unknown(subject)


@users.command("role")
@click.argument("subject")
@click.argument("role", required=False)
@with_appcontext
def change_role(subject: str, role: str | None) -> None:
    """Override the role in SUBJECT's tokens. Without ROLE, the token's role applies again."""
    if not rights.set_role(subject, role):
        _unknown(subject)


@users.command("erase")
@click.argument("subject")
@with_appcontext
def erase(subject: str) -> None:
    """Delete SUBJECT with all chats and records. The ledger stays, under a pseudonym."""
    connections = current_app.extensions["proxy"].connections
    erased = erasing.erase(subject, current_app.extensions["collections"], connections)
    if not erased:
        _unknown(subject)
    current_app.extensions["media_sweeper"].sweep()
    for integration, reason in erased.unrevoked.items():
        text = f"{integration}: erased here, but not revoked at the provider ({reason})."
        click.echo(f"{text} The person can end the access in the account's own settings there.")
    settings: Settings = current_app.config["SETTINGS"]
    if gateway := settings.integrations_gateway_url:
        click.echo(f"Connections and jobs are kept at {gateway}: erase the subject there too.")


def _unknown(subject: str) -> NoReturn:
    raise click.ClickException(f"there is no user {subject}")
