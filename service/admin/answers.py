"""Schemas of the requests and answers of the admin routes."""

from typing import Any, get_args

from marshmallow import Schema, ValidationError, fields, validate

from service.auth.models import ROLE_LIMIT
from service.billing.payer import PaidBy
from service.billing.units import CREDIT
from service.upkeep.granting import MAX_GRANT, micro_credits
from service.web.fields import Digits, JsonBoolean, JsonNumber, PageQuery, Text

NOTE_LIMIT = 200
MOST_HOURS = 30 * 24


class UsersQuery(PageQuery):
    search = Text(load_default="", validate=validate.Length(max=255))


class RightsSchema(Schema):
    role = Text(allow_none=True, validate=validate.Length(1, ROLE_LIMIT))
    disabled = JsonBoolean()


class GrantedCredits(JsonNumber):
    """A number of credits that can be granted, loaded in micro-credits."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> int:
        number = super()._deserialize(value, attr, data, **kwargs)
        try:
            return micro_credits(number)
        except ValueError as error:
            raise ValidationError(f"{str(error).capitalize()}.") from None


class CreditsGrantSchema(Schema):
    credits = GrantedCredits(required=True, metadata={"minimum": 1 / CREDIT, "maximum": MAX_GRANT})
    note = Text(required=True, validate=validate.Length(1, NOTE_LIMIT))


class UserSummarySchema(Schema):
    subject = fields.String(required=True)
    email = fields.String(required=True, allow_none=True)
    name = fields.String(required=True, allow_none=True)
    role = fields.String(required=True, allow_none=True)
    disabled = fields.Boolean(required=True)
    createdAt = fields.AwareDateTime(required=True)
    lastReplyAt = fields.AwareDateTime(required=True, allow_none=True)
    balance = fields.Float(required=True, allow_none=True)
    held = fields.Float(required=True, allow_none=True)


class UsersSchema(Schema):
    users = fields.List(fields.Nested(UserSummarySchema), required=True)
    nextCursor = fields.String(required=True, allow_none=True)


class StoredSchema(Schema):
    records = fields.Dict(required=True, keys=fields.String(), values=fields.Integer())
    media = fields.Integer(required=True)
    turns = fields.Integer(required=True)
    grants = fields.List(fields.String(), required=True)


class UserSchema(UserSummarySchema):
    stored = fields.Nested(StoredSchema, required=True)


class GrantedSchema(Schema):
    subject = fields.String(required=True)
    credits = fields.Float(required=True)
    balance = fields.Float(required=True)
    held = fields.Float(required=True)


class RunningTurnSchema(Schema):
    turnId = fields.String(required=True)
    chatId = fields.String(required=True)
    subject = fields.String(required=True)
    modelId = fields.String(required=True, allow_none=True)
    startedAt = fields.AwareDateTime(required=True, allow_none=True)
    worker = fields.String(required=True)
    ending = fields.Boolean(required=True)


class RunningTurnsSchema(Schema):
    turns = fields.List(fields.Nested(RunningTurnSchema), required=True)
    total = fields.Integer(required=True)


class EndedSchema(Schema):
    stopped = fields.Boolean(required=True)


class ActionSchema(Schema):
    admin = fields.String(required=True, allow_none=True)
    action = fields.String(required=True)
    subject = fields.String(required=True)
    facts = fields.Dict(required=True)
    createdAt = fields.AwareDateTime(required=True)


class ActionsSchema(Schema):
    actions = fields.List(fields.Nested(ActionSchema), required=True)
    nextCursor = fields.String(required=True, allow_none=True)


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
    payer = fields.String(required=True, validate=validate.OneOf(get_args(PaidBy)))
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
