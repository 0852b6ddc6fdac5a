"""Schemas of what admins send and read."""

from marshmallow import Schema, fields, validate

from service.auth.models import ROLE_LIMIT
from service.billing.prices import CREDIT
from service.upkeep.granting import MAX_GRANT
from service.web.fields import Digits, JsonNumber, SeqCursor, Text

LIST_LIMIT = 200
NOTE_LIMIT = 200


class PageQuery(Schema):
    limit = Digits(load_default=50, validate=validate.Range(1, LIST_LIMIT))
    cursor = SeqCursor(load_default=None)


class UsersQuery(PageQuery):
    search = Text(load_default="", validate=validate.Length(max=255))


class RightsSchema(Schema):
    role = Text(allow_none=True, validate=validate.Length(1, ROLE_LIMIT))
    disabled = fields.Boolean(truthy={True}, falsy={False})


class CreditsGrantSchema(Schema):
    credits = JsonNumber(required=True, validate=validate.Range(1 / CREDIT, MAX_GRANT))
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
