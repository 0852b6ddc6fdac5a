"""Commands about credits: `flask credits …`."""

from decimal import Decimal, InvalidOperation

import click
from flask import current_app
from flask.cli import with_appcontext

from config import Settings
from service.billing import ledger
from service.billing.ledger import Statement
from service.billing.models import REF_LIMIT
from service.billing.prices import CREDIT
from service.billing.prices import credits as in_credits
from service.database.access import write_transaction
from service.extensions import db
from service.ids import new_id

MAX_GRANT = 1_000_000_000  # credits
STATEMENT_ENTRIES = 50

credits = click.Group("credits", help="Accounts, grants and charges.")


class Credits(click.ParamType):
    """A positive number of credits with at most six decimals, converted to micro-credits."""

    name = "credits"

    def convert(self, value: object, param: object, ctx: object) -> int:
        try:
            micro = Decimal(str(value)) * CREDIT
        except InvalidOperation:
            micro = Decimal(0)
        if not micro.is_finite() or not 0 < micro <= MAX_GRANT * CREDIT or micro % 1:
            self.fail(f"must be more than 0, at most {MAX_GRANT}, with at most six decimals")
        return int(micro)


class ShortText(click.ParamType):
    """A text that fits into its column."""

    name = "text"

    def __init__(self, limit: int) -> None:
        self.limit = limit

    def convert(self, value: object, param: object, ctx: object) -> str:
        if not 0 < len(str(value)) <= self.limit:
            self.fail(f"must have 1 to {self.limit} characters")
        return str(value)


@credits.command("grant")
@click.argument("subject", type=ShortText(255))
@click.argument("amount", type=Credits())
@click.option(
    "--ref", type=ShortText(REF_LIMIT), help="A second grant with the same reference does nothing."
)
@with_appcontext
def grant(subject: str, amount: int, ref: str | None) -> None:
    """Add AMOUNT credits to SUBJECT's account and print the new balance."""
    settings: Settings = current_app.config["SETTINGS"]
    with write_transaction() as session:
        ledger.ensure_account(session, subject, settings.starting_credits * CREDIT)
        ledger.grant(session, subject, amount, ref or new_id("entry"))
    click.echo(in_credits(_statement(subject, 1).balance))


@credits.command("balance")
@click.argument("subject")
@with_appcontext
def balance(subject: str) -> None:
    """Print SUBJECT's balance and how much of it is on hold."""
    account = _statement(subject, 1)
    click.echo(f"{in_credits(account.balance)}\t{in_credits(account.held)} held")


@credits.command("statement")
@click.argument("subject")
@with_appcontext
def statement(subject: str) -> None:
    """Print SUBJECT's newest entries: time, amount, purpose, reference."""
    for entry in _statement(subject, STATEMENT_ENTRIES).entries:
        moment = entry.created_at.isoformat(timespec="seconds")
        click.echo(f"{moment}\t{in_credits(entry.amount)}\t{entry.what}\t{entry.ref}")


def _statement(subject: str, limit: int) -> Statement:
    account = ledger.statement(db.session(), subject, limit, None)
    if account is None:
        raise click.ClickException(f"no account for {subject} yet")
    return account
