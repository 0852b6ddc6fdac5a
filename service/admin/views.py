"""`/api/admin`: users, their credits and rights, running turns, and actions of operators.

Source: docs/contract.md, section 18.
"""

import hashlib
from typing import Any

from flask import Blueprint, current_app, g

from service.admin import running
from service.admin.answers import (
    ActionsSchema,
    CreditsGrantSchema,
    EndedSchema,
    GrantedSchema,
    RightsSchema,
    RunningTurnsSchema,
    UserSchema,
    UsersQuery,
    UsersSchema,
)
from service.app_keys import APP_SETTINGS
from service.auth import bearer
from service.billing.account_statements import Statement, statement_of
from service.billing.payer import starting_amount
from service.billing.units import to_credits
from service.billing.views import StatementSchema, statement_answer
from service.chat.turn.running import RUNS
from service.extensions import db
from service.ids import new_id
from service.records.collection import APP_COLLECTIONS
from service.times import timestamp
from service.upkeep import actions, granting, inventories, people, rights
from service.upkeep.people import UserOverview
from service.web.edge import answers, body, idempotency_key, query, refuses, takes, without_body
from service.web.errors import Conflict, NotFound
from service.web.fields import PageQuery, seq_cursor

ONCE = "Requests with the same key, user, amount and note grant once."
OWN_RIGHTS = (
    "You can't disable yourself or give up your own role admin. Another admin can, "
    "or the command `flask users`."
)

admin = Blueprint("admin", __name__, url_prefix="/api/admin")
admin.before_request(bearer.require_admin)


@admin.get("/users")
@query(UsersQuery())
@answers(UsersSchema())
def list_users(params: dict[str, Any]) -> dict[str, Any]:
    """Users, newest first; `search` is a part of the subject, the name or the mail address

    `role` is the one that an operator has set, or null where the token's applies. `balance` and
    `held` are in credits, null without an account.
    """
    limit = params["limit"]
    found = people.page(params["search"], limit + 1, params["cursor"])
    following = seq_cursor(found[limit - 1].user.seq) if len(found) > limit else None
    return {"users": [_describe(person) for person in found[:limit]], "nextCursor": following}


@admin.get("/users/<id:subject>")
@answers(UserSchema())
def get_user(subject: str) -> dict[str, Any]:
    """One user, and how much is stored of it: numbers only"""
    return _whole(subject)


@admin.patch("/users/<id:subject>")
@body(RightsSchema())
@refuses(Conflict)
@answers(UserSchema())
def change_rights(data: dict[str, Any], subject: str) -> dict[str, Any]:
    """Set a user's role, or disable or enable it; within two seconds everywhere

    `role: null` lets the role of the token apply again. Your own role and access can't be taken
    away (409).
    """
    if subject == g.caller.subject and _loses_rights(data):
        raise Conflict(OWN_RIGHTS)
    if not rights.change(subject, data, by=g.caller.subject):
        raise NotFound()
    return _whole(subject)


@admin.get("/credits/<id:subject>")
@query(PageQuery())
@answers(StatementSchema())
def read_statement(params: dict[str, Any], subject: str) -> dict[str, Any]:
    """A user's account, as `GET /api/credits` shows it to the user"""
    return statement_answer(_statement(subject, params["limit"], params["cursor"]))


@admin.post("/credits/<id:subject>")
@body(CreditsGrantSchema())
@takes(Idempotency_Key=ONCE)
@refuses(Conflict)
@answers(GrantedSchema())
def grant_credits(data: dict[str, Any], subject: str) -> dict[str, Any]:
    """Grant credits to a user, with a note that the user sees in the statement

    With `Idempotency-Key` a repeated request grants nothing more.
    """
    settings = APP_SETTINGS.of(current_app)
    starting, amount = starting_amount(settings), data["credits"]
    granting.grant_by_admin(g.caller.subject, subject, amount, _ref(), starting, data["note"])
    account = _statement(subject, 1)  # none if the user has been erased just now
    balance = {"balance": to_credits(account.balance), "held": to_credits(account.held)}
    return {"subject": subject, "credits": to_credits(amount), **balance}


@admin.get("/turns")
@answers(RunningTurnsSchema())
def list_turns() -> dict[str, Any]:
    """The running turns of all workers, the oldest 200 of them, without their content"""
    return running.turns()


@admin.post("/turns/<turn_id>/stop")
@without_body
@answers(EndedSchema())
def stop_turn(turn_id: str) -> dict[str, bool]:
    """Stop a running turn, in any worker; the reply so far is kept as usual"""
    stopped = running.stop(g.caller.subject, turn_id)
    if stopped and (run := RUNS.of(current_app).get(turn_id)):
        run.interruption.interrupt("stop")
    return {"stopped": stopped}


@admin.get("/actions")
@query(PageQuery())
@answers(ActionsSchema())
def list_actions(params: dict[str, Any]) -> dict[str, Any]:
    """What admins and commands have done, newest first; `admin` is null for a command"""
    limit = params["limit"]
    rows = actions.page(limit + 1, params["cursor"])
    shown = [
        {
            "admin": row.admin,
            "action": row.action,
            "subject": row.subject,
            "facts": row.facts,
            "createdAt": timestamp(row.created_at),
        }
        for row in rows[:limit]
    ]
    following = seq_cursor(rows[limit - 1].seq) if len(rows) > limit else None
    return {"actions": shown, "nextCursor": following}


def _loses_rights(data: dict[str, Any]) -> bool:
    """Return whether the caller would not be an enabled admin any more."""
    role = data.get("role", bearer.ADMIN) or g.caller.claimed_role
    is_disabled: bool = data.get("disabled", False)
    return is_disabled or role != bearer.ADMIN


def _statement(subject: str, limit: int, before: int | None = None) -> Statement:
    """Return a page of a user's account. Raises `NotFound` if there is no account."""
    page = statement_of(db.session(), subject, limit, before)
    if page is None:
        raise NotFound()
    return page


def _ref() -> str:
    """Return the reference of a grant in the ledger, made from the key.

    Raises `InvalidRequest`.
    """
    key = idempotency_key()
    if key is None:
        return new_id("entry")
    # Each admin has keys of their own, and no other grant can have such a reference.
    return "admin_" + hashlib.sha256(f"{g.caller.subject}\n{key}".encode()).hexdigest()


def _whole(subject: str) -> dict[str, Any]:
    """Return a user with what is stored of it. Raises `NotFound`."""
    person = people.one(subject)
    if person is None:
        raise NotFound()
    stored = inventories.take(db.session(), subject, APP_COLLECTIONS.of(current_app))
    counts = {"records": dict(stored.records), "media": stored.media, "turns": stored.turns}
    return {**_describe(person), "stored": {**counts, "grants": list(stored.grants)}}


def _describe(person: UserOverview) -> dict[str, Any]:
    user = person.user
    return {
        "subject": user.subject,
        "email": user.email,
        "name": user.name,
        "role": user.role,
        "disabled": user.disabled,
        "createdAt": timestamp(user.created_at),
        "lastReplyAt": person.last_reply and timestamp(person.last_reply),
        "balance": None if person.balance is None else to_credits(person.balance),
        "held": None if person.held is None else to_credits(person.held),
    }
