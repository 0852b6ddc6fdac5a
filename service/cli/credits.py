"""Commands about credits: `flask credits …`."""

import shlex

import click
from flask import current_app

from service.app_keys import APP_SETTINGS
from service.billing.account_statements import Statement, statement_of
from service.billing.models import REF_LIMIT
from service.billing.payer import starting_amount
from service.billing.units import count_credits, credits_text, to_credits
from service.cli.database import explain_failures, with_database
from service.cli.terminal import AS_JSON, ShortText, TextArgument, print_json, print_list
from service.extensions import db
from service.ids import new_id
from service.upkeep import granting
from service.web.errors import NotFound

STATEMENT_ENTRIES = 50

credits = click.Group("credits", help="Accounts, grants and charges.")


class Credits(click.ParamType[int]):
    """A positive number of credits with at most six decimals, converted to micro-credits."""

    name = "credits"

    def convert(self, value: object, param: object, ctx: object) -> int:
        try:
            return granting.micro_credits(value)
        except ValueError as error:
            self.fail(str(error))


@credits.command("grant")
@click.argument("subject", type=ShortText(255))
@click.argument("amount", type=Credits())
@click.option(
    "--ref", type=ShortText(REF_LIMIT), help="A second grant with the same reference does nothing."
)
@click.option(
    "--new", "opens", is_flag=True, help="Open the account of a subject that is not known yet."
)
@with_database()
def grant(subject: str, amount: int, ref: str | None, opens: bool) -> None:
    """Add AMOUNT credits to SUBJECT's account and print the new balance."""
    settings = APP_SETTINGS.of(current_app)
    starting = starting_amount(settings)
    ref = ref or new_id("entry")
    try:
        with explain_failures(
            f"Repeat the grant with --ref {shlex.quote(ref)}, so that it is made once."
        ):
            is_new = granting.grant(subject, amount, ref, starting, opens=opens)
    except NotFound:
        message = f"there is no user {subject} yet; --new opens the account before the first call"
        raise click.ClickException(message) from None
    done = f"{subject} was granted {count_credits(to_credits(amount))}."
    done = done if is_new else f"{subject} has had the grant {ref} before: nothing was added."
    click.echo(f"{done} ", nl=False)  # first, because after an error people would repeat the grant
    click.echo(f"The balance is {count_credits(to_credits(_statement(subject, 1).balance))}.")


@credits.command("balance")
@click.argument("subject", type=TextArgument())
@AS_JSON
@with_database()
def balance(subject: str, as_json: bool) -> None:
    """Print SUBJECT's balance and how much of it is on hold."""
    account = _statement(subject, 1)
    whole, held = to_credits(account.balance), to_credits(account.held)
    if as_json:
        print_json({"balance": whole, "held": held})
    else:
        click.echo(f"{count_credits(whole)}, {credits_text(account.held)} of them held")


@credits.command("statement")
@click.argument("subject", type=TextArgument())
@AS_JSON
@with_database()
def statement(subject: str, as_json: bool) -> None:
    """Print SUBJECT's newest entries: time, amount, purpose, reference."""
    account = _statement(subject, STATEMENT_ENTRIES)
    rows = [
        {
            "createdAt": entry.created_at,
            "amount": to_credits(entry.amount),
            "what": entry.what,
            "ref": entry.ref,
        }
        for entry in account.entries
    ]
    print_list(rows, f"The account of {subject} has no entries yet.", as_json)
    if account.more:
        click.echo(f"There are older entries; these are the newest {len(rows)}.", err=True)


def _statement(subject: str, limit: int) -> Statement:
    account = statement_of(db.session(), subject, limit, None)
    if account is None:
        raise click.ClickException(f"no account for {subject} yet")
    return account
