"""The parameters, answers and refusals of `/api/integrations`, for the OpenAPI document."""

from typing import get_args

from marshmallow import Schema, fields

from service.integrations.consent.authority import Failure
from service.web.errors import (
    Conflict,
    Draining,
    Forbidden,
    InsufficientCredits,
    NotConfigured,
    NotFound,
    RateLimited,
    TooLarge,
    UnknownEndpoint,
    UpstreamFailed,
    UpstreamTimedOut,
)

APPROVALS = ("once", "session", "auto")
ONCE = "The same call is made, and charged, once in 24 hours."
FRESH = "`no-cache`: ask the vendor, even if an answer is cached."
DOOR = "`widget`, for a call that a widget has asked for."
APPROVED = f"Which decision let the call through: {', '.join(APPROVALS)}."


class Envelope(Schema):
    success = fields.Boolean(required=True)
    data = fields.Raw(required=True)


class Keeping(Schema):
    seconds = fields.Float(required=True)
    shared = fields.Boolean(required=True)


class Rate(Schema):
    calls = fields.Integer(required=True)
    seconds = fields.Integer(required=True)


class Sentences(Schema):
    doing = fields.String(required=True)
    done = fields.String(required=True)


class Described(Schema):
    name = fields.String(required=True)
    aliases = fields.List(fields.String(), required=True)
    category = fields.String(required=True)
    summary = fields.String(required=True)
    methods = fields.List(fields.String(), required=True)
    integration = fields.String(required=True)
    billing = fields.String(required=True)
    credits = fields.Float(required=True)
    creditConsuming = fields.Boolean(required=True)
    metered = fields.Boolean(required=True)
    autoApprove = fields.Boolean(required=True)
    cache = fields.Nested(Keeping, required=True, allow_none=True)
    perUser = fields.Nested(Rate, required=True, allow_none=True)
    bodyLimit = fields.Integer(required=True)
    scopes = fields.List(fields.String(), required=True)
    flag = fields.String(required=True, allow_none=True)
    configured = fields.Boolean(required=True)
    docs = fields.String(required=True)
    says = fields.Nested(Sentences, required=True, allow_none=True)

    class Meta:
        include = {"async": fields.Boolean(required=True)}  # a keyword of Python


class CatalogSchema(Schema):
    endpoints = fields.List(fields.Nested(Described), required=True)


class PriceSchema(Schema):
    credits = fields.Float(required=True)


class AnyParameters(Schema):
    """The parameters of the endpoint, as `routes-schema` lists them."""

    class Meta:
        unknown = "include"


ANY_SCHEMA = {"type": "object", "required": ["$schema", "properties"]}
CONNECTED = {
    "type": "object",
    "required": ["connected"],
    "properties": {"connected": {"type": "boolean"}, "email": {"type": "string"}},
    "additionalProperties": {"type": "boolean"},
}
MOMENT = {"type": ["string", "null"], "format": "date-time"}
HEALTH = {
    "type": "object",
    "additionalProperties": {
        "type": "object",
        "required": ["state", "lastSuccess", "failingSince", "lastFailure", "failure"],
        "properties": {
            "state": {"enum": ["working", "failing"]},
            "lastSuccess": MOMENT,
            "failingSince": MOMENT,
            "lastFailure": MOMENT,
            "failure": {"enum": [*get_args(Failure), None]},
        },
        "additionalProperties": False,
    },
}
# The refusals of a call, whichever endpoint it names.
REFUSALS = (InsufficientCredits, Forbidden, NotFound, UnknownEndpoint, Conflict, TooLarge)
FAILURES = (RateLimited, UpstreamFailed, UpstreamTimedOut, NotConfigured, Draining)
