"""`POST /api/tokens`: make a token that can do less than the token of the request.

Source: docs/contract.md, section 17.3.
"""

import time
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from flask import Blueprint, Response, current_app, g, jsonify
from marshmallow import Schema, ValidationError, fields, validate, validates_schema

from service.app_keys import APP_SETTINGS
from service.auth.permits import SCOPES, Permit
from service.auth.tokens import issue_limited
from service.billing.units import CREDIT, to_credits
from service.ids import new_id
from service.integrations.calling.proxy import PROXY
from service.limits.rates import count
from service.times import timestamp
from service.web.edge import answers, body, refuses
from service.web.errors import InvalidRequest, NotConfigured, RateLimited
from service.web.fields import JsonInteger, JsonNumber, Text

LONGEST_LIFE = 3600  # seconds
MOST_CREDITS = 1_000_000_000
MOST_NAMES = 1000
LONGEST_TOKEN = 7000  # bytes; gunicorn and nginx accept a header of 8 kB
TOO_MANY = "Too many for one token. Name fewer, or none to allow all."

tokens = Blueprint("tokens", __name__, url_prefix="/api/tokens")


class TokenRequest(Schema):
    scope = Text(required=True, validate=validate.OneOf(SCOPES))
    endpoints = fields.List(
        Text(validate=validate.Length(1, 128)),
        load_default=None,
        allow_none=True,
        validate=validate.Length(1, MOST_NAMES),
    )
    credits = JsonNumber(
        load_default=None, allow_none=True, validate=validate.Range(0, MOST_CREDITS)
    )
    ttl = JsonInteger(load_default=LONGEST_LIFE, validate=validate.Range(1, LONGEST_LIFE))

    @validates_schema
    def _check(self, data: dict[str, Any], **kwargs: Any) -> None:
        if data.get("scope") == "chat" and data.get("endpoints") is not None:
            raise ValidationError("Only for the scope `calls`.", "endpoints")


class TokenSchema(Schema):
    token = fields.String(required=True)
    scope = fields.String(required=True, validate=validate.OneOf(SCOPES))
    endpoints = fields.List(fields.String(), required=True, allow_none=True)
    credits = fields.Float(required=True, allow_none=True)
    expiresAt = fields.AwareDateTime(required=True)


@tokens.post("")
@body(TokenRequest())
@refuses(NotConfigured, RateLimited)
@answers(None, 201, answer_schema=TokenSchema())
def create(data: dict[str, Any]) -> tuple[Response, int]:
    """Make a limited token of your own: for calls or for chat, at most for an hour

    It can't do more than the token that makes it, and ends with that one. A limited token makes
    no others.
    """
    settings = APP_SETTINGS.of(current_app)
    count("tokens", g.caller.subject)
    permit = _permit(data)
    caller = g.caller
    made = issue_limited(settings, caller.subject, caller.claimed_role, caller.issued, permit)
    if len(made) > LONGEST_TOKEN:
        raise InvalidRequest(details={"endpoints": [TOO_MANY]})
    response = jsonify({"token": made, **_limits(permit)})
    response.headers["Cache-Control"] = "no-store"
    return response, 201


def _permit(data: dict[str, Any]) -> Permit:
    credits, names = data["credits"], data["endpoints"]
    return Permit(
        token_id=new_id("token"),
        scope=data["scope"],
        expires=int(min(time.time() + data["ttl"], g.expires)),
        endpoints=None if names is None else _declared_names(names),
        credits=None if credits is None else _whole_micro_credits(credits),
    )


def _whole_micro_credits(credits: float) -> int:
    """Convert credits to micro-credits, rounded down: a token never spends more than its limit."""
    return int(Decimal(str(credits)) * CREDIT)


def _declared_names(names: list[str]) -> frozenset[str]:
    """Return the declared names of endpoints for names and aliases.

    Raises `InvalidRequest`.
    """
    catalog = PROXY.of(current_app).catalog
    unknown = {
        str(place): ["There is no endpoint of that name."]
        for place, name in enumerate(names)
        if name not in catalog.names
    }
    if unknown:
        raise InvalidRequest(details={"endpoints": unknown})
    return frozenset(catalog.names[name].name for name in names)


def _limits(permit: Permit) -> dict[str, Any]:
    return {
        "scope": permit.scope,
        "endpoints": None if permit.endpoints is None else sorted(permit.endpoints),
        "credits": None if permit.credits is None else to_credits(permit.credits),
        "expiresAt": timestamp(datetime.fromtimestamp(permit.expires, UTC)),
    }
