"""`/api/admin`: integrations, errors, and facts of the service. These routes only read.

Source: docs/contract.md, section 18.
"""

import configparser
from typing import Any

from flask import Blueprint, current_app
from marshmallow import Schema, fields, validate
from sqlalchemy import func, select

from config import ROOT, Settings
from service.admin import calls, failures, health, today
from service.auth import bearer
from service.chat import claims
from service.chat.models import Lease
from service.database.revisions import is_migrated, newest_revision, stored_revision
from service.extensions import db, now, timestamp
from service.web.edge import answers, query
from service.web.fields import Digits

MOST_HOURS = 30 * 24


def _version() -> str:
    """Of the source tree; empty where there is none."""
    declared = configparser.ConfigParser()
    declared.read(ROOT / "setup.cfg")
    return declared.get("metadata", "version", fallback="")


VERSION = _version()  # of the release that runs: its files may be replaced meanwhile

state = Blueprint("admin_state", __name__, url_prefix="/api/admin")
state.before_request(bearer.require_admin)


class HoursQuery(Schema):
    hours = Digits(load_default=24, validate=validate.Range(1, MOST_HOURS))


class VendorStateSchema(Schema):
    name = fields.String(required=True)
    missing = fields.String(required=True, allow_none=True)
    standIn = fields.Boolean(required=True)


class BreakerSchema(Schema):
    state = fields.String(required=True, validate=validate.OneOf(["closed", "open", "trial"]))
    failures = fields.Integer(required=True)
    openUntil = fields.AwareDateTime(required=True, allow_none=True)


class CallTotalsSchema(Schema):
    total = fields.Integer(required=True)
    failed = fields.Integer(required=True)
    refused = fields.Integer(required=True)
    averageMs = fields.Integer(required=True, allow_none=True)
    longestMs = fields.Integer(required=True, allow_none=True)


class GrantTotalsSchema(Schema):
    connected = fields.Integer(required=True)
    failing = fields.Integer(required=True)


class IntegrationStateSchema(Schema):
    integration = fields.String(required=True)
    payer = fields.String(required=True, validate=validate.OneOf(["user", "owner"]))
    endpoints = fields.Integer(required=True)
    configured = fields.Integer(required=True)
    vendors = fields.List(fields.Nested(VendorStateSchema), required=True)
    breaker = fields.Nested(BreakerSchema, required=True)
    calls = fields.Nested(CallTotalsSchema, required=True)
    grants = fields.Nested(GrantTotalsSchema, required=True)


class IntegrationsSchema(Schema):
    hours = fields.Integer(required=True)
    integrations = fields.List(fields.Nested(IntegrationStateSchema), required=True)


class EndingSchema(Schema):
    status = fields.String(required=True)
    reason = fields.String(required=True, allow_none=True)
    finishReason = fields.String(required=True)
    count = fields.Integer(required=True)
    lastAt = fields.AwareDateTime(required=True)


class EndedTurnsSchema(Schema):
    total = fields.Integer(required=True)
    isWhole = fields.Boolean(required=True)
    kinds = fields.List(fields.Nested(EndingSchema), required=True)


class CallErrorSchema(Schema):
    integration = fields.String(required=True)
    status = fields.String(required=True)
    error = fields.String(required=True, allow_none=True)
    upstreamStatus = fields.Integer(required=True, allow_none=True)
    count = fields.Integer(required=True)
    lastAt = fields.AwareDateTime(required=True)


class CallErrorsSchema(Schema):
    total = fields.Integer(required=True)
    isWhole = fields.Boolean(required=True)
    kinds = fields.List(fields.Nested(CallErrorSchema), required=True)


class CountedSchema(Schema):
    turns = fields.List(fields.Dict(), required=True)
    upstreamCalls = fields.List(fields.Dict(), required=True)
    requests = fields.List(fields.Dict(), required=True)


class ErrorsSchema(Schema):
    hours = fields.Integer(required=True)
    turns = fields.Nested(EndedTurnsSchema, required=True)
    calls = fields.Nested(CallErrorsSchema, required=True)
    host = fields.Nested(CountedSchema, required=True)


class SpentSchema(Schema):
    count = fields.Integer(required=True)
    credits = fields.Float(required=True)


class TodaySchema(Schema):
    since = fields.AwareDateTime(required=True)
    users = fields.Integer(required=True)
    newUsers = fields.Integer(required=True)
    activeUsers = fields.Integer(required=True)
    turns = fields.Nested(SpentSchema, required=True)
    calls = fields.Nested(SpentSchema, required=True)
    isWhole = fields.Boolean(required=True)


class DatabaseSchema(Schema):
    kind = fields.String(required=True, validate=validate.OneOf(["sqlite", "postgresql"]))
    revision = fields.String(required=True, allow_none=True)
    newest = fields.String(required=True, allow_none=True)
    migrated = fields.Boolean(required=True)


class WorkersSchema(Schema):
    configured = fields.Integer(required=True)
    answering = fields.Integer(required=True)


class ServiceSchema(Schema):
    version = fields.String(required=True)
    sandbox = fields.Boolean(required=True)
    database = fields.Nested(DatabaseSchema, required=True)
    workers = fields.Nested(WorkersSchema, required=True)
    time = fields.AwareDateTime(required=True)


@state.get("/integrations")
@query(HoursQuery())
@answers(IntegrationsSchema())
def list_integrations(params: dict[str, Any]) -> dict[str, Any]:
    """Each integration: who pays, which setting its vendors lack, its breaker, its calls

    `configured` is how many of its `endpoints` can be called. A breaker is `open` while nothing is
    sent, and in `trial` when the next call tries whether the vendor is back. `calls` are those of
    the last `hours`, of the newest 10 000. `grants` are users' connections; for those that are
    `failing`, the last refresh has failed.
    """
    hours = params["hours"]
    return {"hours": hours, "integrations": health.integrations(hours)}


@state.get("/errors")
@query(HoursQuery())
@answers(ErrorsSchema())
def list_errors(params: dict[str, Any]) -> dict[str, Any]:
    """How replies and calls have ended, and the errors that this host has counted

    `turns` and `calls` are those of the last `hours`, of the newest 10 000. A failed reply stores
    nothing: it is counted in `host`, by the workers of the answering host since their start.
    """
    hours = params["hours"]
    stored = {"turns": failures.ended_turns(hours), "calls": calls.errors(hours)}
    return {"hours": hours, **stored, "host": failures.counted_here()}


@state.get("/today")
@answers(TodaySchema())
def describe_today() -> dict[str, Any]:
    """Users, replies and calls since midnight UTC, and what was spent on them

    `turns` and `calls` are of the newest 10 000 each: `isWhole` says whether these were all. What
    failed replies have cost is not in it.
    """
    return today.numbers()


@state.get("/service")
@answers(ServiceSchema())
def describe_service() -> dict[str, Any]:
    """The release, its database, and its workers

    `workers.configured` is the answering host's. `answering` are the workers of all hosts that
    have answered messages in the last seconds.
    """
    settings: Settings = current_app.config["SETTINGS"]
    current = stored_revision()
    database = {
        "kind": db.engine.dialect.name,
        "revision": current,
        "newest": newest_revision(),
        "migrated": is_migrated(current),
    }
    live = select(func.count()).select_from(Lease).where(~claims.has_lapsed())
    workers = {"configured": settings.web_concurrency, "answering": db.session.scalar(live) or 0}
    facts = {"version": VERSION, "sandbox": settings.sandbox, "time": timestamp(now())}
    return {**facts, "database": database, "workers": workers}
