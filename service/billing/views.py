"""`/api/credits`: the caller's own account. Source: docs/contract.md, section 9.10."""

from typing import Any
from zoneinfo import ZoneInfo

from flask import Blueprint, current_app, g
from marshmallow import Schema, fields, validate

from service.app_keys import APP_SETTINGS
from service.auth import user_locks
from service.auth.users import OWNER
from service.billing import ledger
from service.billing.account_statements import Statement, statement_of
from service.billing.budgets import budget_of, today
from service.billing.models import Entry
from service.billing.payer import starting_amount
from service.billing.spend import KINDS, MOST_DAYS, Sum, spend
from service.billing.units import to_credits
from service.database.access import write_transaction
from service.extensions import db
from service.limits.page_turns import page_turn
from service.times import now, timestamp
from service.web.edge import answers, query, refuses
from service.web.errors import Unavailable
from service.web.fields import Digits, PageQuery, TimeZone, seq_cursor

credits = Blueprint("credits", __name__, url_prefix="/api/credits")


class EntrySchema(Schema):
    entryId = fields.String(required=True)
    kind = fields.String(required=True, validate=validate.OneOf(["grant", "charge", "rest"]))
    amount = fields.Float(required=True)
    what = fields.String(required=True)
    ref = fields.String(required=True)
    facts = fields.Dict(required=True)
    createdAt = fields.AwareDateTime(required=True)


class StatementSchema(Schema):
    balance = fields.Float(required=True)
    held = fields.Float(required=True)
    entries = fields.List(fields.Nested(EntrySchema), required=True)
    nextCursor = fields.String(required=True, allow_none=True)


class BudgetSchema(Schema):
    credits = fields.Float(required=True)
    spent = fields.Float(required=True)
    held = fields.Float(required=True)
    resetsAt = fields.AwareDateTime(required=True)


class OwnStatementSchema(StatementSchema):
    budget = fields.Nested(BudgetSchema)


@credits.get("")
@query(PageQuery())
@answers(OwnStatementSchema())
def statement(params: dict[str, Any]) -> dict[str, Any]:
    """Your account: balance, credits on hold, and entries, newest first

    Amounts are in credits; a charge is negative. `budget` is what you may spend a day, if that is
    limited: `spent` today, and `held` by running turns and calls, until `resetsAt`.
    """
    answer = statement_answer(_page(params) or _open_account(params))
    budgets = APP_SETTINGS.of(current_app).budgets
    budget = budget_of(budgets, g.caller)
    is_owner = g.caller.subject == OWNER.of(current_app).subject
    return answer if budget is None or is_owner else {**answer, "budget": _budget(budget)}


def _budget(budget: int) -> dict[str, Any]:
    day = today(db.session(), g.caller.subject)
    db.session.commit()
    amounts = {"credits": budget, "spent": day.spent, "held": day.held}
    shown = {name: to_credits(amount) for name, amount in amounts.items()}
    return {**shown, "resetsAt": timestamp(day.ends)}


def statement_answer(page: Statement) -> dict[str, Any]:
    """Return a page of a statement in the form of `StatementSchema`."""
    return {
        "balance": to_credits(page.balance),
        "held": to_credits(page.held),
        "entries": [_entry(entry) for entry in page.entries],
        "nextCursor": seq_cursor(page.entries[-1].seq) if page.more else None,
    }


class SpendQuery(Schema):
    days = Digits(load_default=30, validate=validate.Range(1, MOST_DAYS))
    timeZone = TimeZone(load_default="UTC", metadata={"example": "Europe/Berlin"})


class SumSchema(Schema):
    credits = fields.Float(required=True)
    calls = fields.Integer(required=True)


class DaySchema(SumSchema):
    day = fields.Date(required=True)


class SourceSchema(SumSchema):
    what = fields.String(required=True)
    kind = fields.String(required=True, validate=validate.OneOf(KINDS))


class SpendSchema(SumSchema):
    timeZone = fields.String(required=True)
    days = fields.List(fields.Nested(DaySchema), required=True)
    sources = fields.List(fields.Nested(SourceSchema), required=True)


@credits.get("/spend")
@query(SpendQuery())
@refuses(Unavailable)
@answers(SpendSchema())
def read_spend(params: dict[str, Any]) -> dict[str, Any]:
    """What your account has spent: each day, and for each model and endpoint

    The last `days` days of a time zone, today included and the oldest first. `credits` are charges
    less refunds; `calls` are charged turns and calls. Costs paid by another account are not
    included.
    """
    zone = ZoneInfo(params["timeZone"])
    with page_turn(g.caller.subject):  # a year of a busy account takes the database a second
        spent = spend(db.session(), g.caller.subject, params["days"], zone, now())
        db.session.commit()
    return {
        "timeZone": params["timeZone"],
        **_sum(spent.total),
        "days": [{"day": day.isoformat(), **_sum(one)} for day, one in spent.days],
        "sources": [{"what": what, "kind": kind, **_sum(one)} for what, kind, one in spent.sources],
    }


def _sum(one: Sum) -> dict[str, Any]:
    return {"credits": to_credits(one.amount), "calls": one.calls}


def _page(params: dict[str, Any]) -> Statement | None:
    return statement_of(db.session(), g.caller.subject, params["limit"], params["cursor"])


def _open_account(params: dict[str, Any]) -> Statement:
    """Create the caller's account, with its starting credits, and return the first page."""
    settings = APP_SETTINGS.of(current_app)
    with write_transaction() as session:
        user_locks.lock(session, g.caller.subject)
        ledger.ensure_account(session, g.caller.subject, starting_amount(settings))
    page = _page(params)
    assert page is not None, "the account was created above"
    return page


def _entry(entry: Entry) -> dict[str, Any]:
    facts = dict(entry.facts)
    if "loss" in facts:
        facts["loss"] = to_credits(facts["loss"])
    return {
        "entryId": entry.entry_id,
        "kind": entry.kind,
        "amount": to_credits(entry.amount),
        "what": entry.what,
        "ref": entry.ref,
        "facts": facts,
        "createdAt": timestamp(entry.created_at),
    }
