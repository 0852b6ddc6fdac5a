"""Commands about tokens and users: `flask token …`, `flask users …`."""

import re
from typing import NoReturn

import click
from flask import current_app
from flask.cli import with_appcontext

from service.app_keys import APP_SETTINGS
from service.auth import users as accounts
from service.auth.bearer import ADMIN
from service.auth.models import ROLE_LIMIT
from service.auth.tokens import issue
from service.cli.database import with_database
from service.cli.erasing import erase
from service.cli.terminal import AS_JSON, ShortText, TextArgument, print_list
from service.records.collection import APP_COLLECTIONS
from service.records.permissions import named_roles
from service.upkeep import rights

DEFAULT_ROLE = "user"
OWNER_ROLE = "owner"  # the role in the owner's token (docs/deployment.md); it gives no rights
UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}

token = click.Group("token", help="Bearer tokens.")
users = click.Group("users", help="Users and their rights.")


class Duration(click.ParamType[int]):
    """A duration such as `90s`, `30m`, `8h` or `7d`, converted to seconds."""

    name = "duration"

    def convert(self, value: object, param: object, ctx: object) -> int:
        match = re.fullmatch(r"([1-9]\d{0,5})([smhd])", str(value))
        if not match:
            self.fail("must be a number with s, m, h or d, such as 8h")
        return int(match[1]) * UNITS[match[2]]


@token.command("issue")
@click.argument("subject", type=TextArgument())
@click.option("--role", type=TextArgument(), default=DEFAULT_ROLE, show_default=True)
@click.option("--ttl", type=Duration(), default="8h", show_default=True)
@with_appcontext
def issue_token(subject: str, role: str, ttl: int) -> None:
    """Print a token for SUBJECT, signed with AUTH_SECRET."""
    settings = APP_SETTINGS.of(current_app)
    try:
        click.echo(issue(settings, subject, role, ttl))
    except ValueError as error:
        raise click.ClickException(str(error)) from None
    _warn_of_unknown(role)


@users.command("list")
@AS_JSON
@with_database()
def list_users(as_json: bool) -> None:
    """Print all users: subject, role that overrides the token's, whether disabled, first call."""
    rows = [
        {
            "subject": user.subject,
            "role": user.role,
            "disabled": user.disabled,
            "createdAt": user.created_at,
        }
        for user in accounts.all_users()
    ]
    print_list(rows, "No users yet: a subject becomes a user with its first call.", as_json)


@users.command("disable")
@click.argument("subject", type=TextArgument())
@click.option("--undo", is_flag=True, help="Enable the user again.")
@with_database()
def disable(subject: str, undo: bool) -> None:
    """Refuse SUBJECT's tokens and stop their replies. This takes effect within two seconds."""
    if not rights.set_disabled(subject, not undo):
        _unknown(subject)
    state = "enabled" if undo else "disabled"
    click.echo(f"{subject} is {state}. This applies everywhere within two seconds.")


@users.command("role")
@click.argument("subject", type=TextArgument())
@click.argument("role", required=False, type=ShortText(ROLE_LIMIT))
@click.option("--undo", is_flag=True, help="Let the token's role apply again.")
@with_database()
def role(subject: str, role: str | None, undo: bool) -> None:
    """Override the role in SUBJECT's tokens. Without ROLE, show which role applies."""
    if role and undo:
        raise click.UsageError("give a ROLE or --undo, not both")
    if not (role or undo):
        user = accounts.find(subject) or _unknown(subject)
        click.echo(f"{subject}: {_role(user.role)}")
    elif not rights.set_role(subject, role):
        _unknown(subject)
    else:
        click.echo(f"{subject} now has {_role(role)}. It applies everywhere within two seconds.")
        _warn_of_unknown(role)


users.add_command(erase)


def _role(overriding: str | None) -> str:
    if overriding:
        return f"the role {overriding}, set by an operator (--undo removes it)"
    return "the role in the token (user, if it has none), because no operator has set one"


def _warn_of_unknown(role: str | None) -> None:
    """Warn that a role has no rights of its own. An app may declare some later."""
    settings = APP_SETTINGS.of(current_app)
    named = named_roles(APP_COLLECTIONS.of(current_app))
    known = {DEFAULT_ROLE, OWNER_ROLE, ADMIN, *settings.budgets} | named
    if role and role not in known:
        hint = f"no collection has rules for the role {role}, so the rules for other roles apply."
        roles = ", ".join(sorted(named)) or "none"
        click.echo(f"Warning: {hint} Roles with rules: {roles}", err=True)


def _unknown(subject: str) -> NoReturn:
    raise click.ClickException(
        f"there is no user {subject}: a subject becomes a user with its first call"
    )
