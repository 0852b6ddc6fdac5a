"""`/api/records`: reading and changing collections. Source: contract section 7."""

import json
from typing import Any

from flask import Blueprint, current_app, g, request
from flask.blueprints import BlueprintSetupState
from marshmallow import Schema, ValidationError, fields, post_load, validate
from werkzeug.routing import BaseConverter

from service.edge import answers, json_body, query, refuses, takes
from service.errors import Conflict, Forbidden, InvalidRequest
from service.fields import Digits, Text
from service.records import store, writes
from service.records.collection import Collection
from service.records.once import KEY, KEY_RULE
from service.records.query import CURSOR_LIMIT
from service.records.store import Query

ONCE = "The same record is made once in 24 hours; 1 to 255 visible ASCII characters."
STALE = "The record's `updatedAt`: one that has been changed since is left as it is."

records = Blueprint("records", __name__, url_prefix="/api/records")


class RecordId(BaseConverter):
    """The rest of the path, slashes and all: the id of a user's message is the client's choice."""

    regex = "[^\\0]+"
    part_isolating = False


@records.record_once
def _convert(state: BlueprintSetupState) -> None:
    state.app.url_map.converters["id"] = RecordId


class WhereField(fields.Field):
    """A JSON object in the query string."""

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> Any:
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            raise ValidationError("Must be a JSON object.") from None


class ListQuery(Schema):
    where = WhereField()
    sort = Text(validate=validate.Length(1, 100))
    limit = Digits(validate=validate.Range(1, 200))
    cursor = Text(validate=validate.Length(1, CURSOR_LIMIT))

    @post_load
    def build(self, data: dict[str, Any], **kwargs: Any) -> Query:
        return Query(**data)


class RecordSchema(Schema):
    recordId = fields.String(required=True)
    data = fields.Dict(required=True)
    createdAt = fields.AwareDateTime(required=True)
    updatedAt = fields.AwareDateTime(required=True)


class PageSchema(Schema):
    records = fields.List(fields.Nested(RecordSchema), required=True)
    nextCursor = fields.String(required=True, allow_none=True)


class DataSchema(Schema):
    """The collection's own columns: `schema.describe` names them."""

    class Meta:
        unknown = "include"


class DeletedSchema(Schema):
    success = fields.Boolean(required=True)


@records.get("/<collection>")
@query(ListQuery())
@refuses(Forbidden)
@answers(PageSchema())
def find(asked: Query, collection: str) -> dict[str, Any]:
    """List the records of a collection that the caller may read"""
    return store.find(_collection(collection), g.caller, asked)


@records.post("/<collection>")
@json_body(DataSchema())
@takes(Idempotency_Key=ONCE)
@refuses(Forbidden, Conflict)
@answers(RecordSchema(), 201)
def create(data: Any, collection: str) -> dict[str, Any]:
    """Create a record of the caller's own; the body is its data

    With an `Idempotency-Key` the same record is made once in 24 hours: sent again with the same
    data, the answer is that record as it is by then.
    """
    return writes.create(_collection(collection), g.caller, data, key=_idempotency_key())


@records.get("/<collection>/<id:record_id>")
@refuses(Forbidden)
@answers(RecordSchema())
def get(collection: str, record_id: str) -> dict[str, Any]:
    """Read one record"""
    return store.get(_collection(collection), g.caller, record_id)


@records.patch("/<collection>/<id:record_id>")
@json_body(DataSchema())
@takes(If_Match=STALE)
@refuses(Forbidden, Conflict)
@answers(RecordSchema())
def update(data: Any, collection: str, record_id: str) -> dict[str, Any]:
    """Lay data over a record; `null` empties a column

    With `If-Match: <updatedAt>`, a record that has been changed since is left as it is (409).
    """
    return writes.update(_collection(collection), g.caller, record_id, data, _if_match())


@records.delete("/<collection>/<id:record_id>")
@takes(If_Match=STALE)
@refuses(Forbidden, Conflict)
@answers(DeletedSchema())
def delete(collection: str, record_id: str) -> dict[str, bool]:
    """Delete a record, and what belongs to it alone; `If-Match` counts here too"""
    writes.delete(_collection(collection), g.caller, record_id, _if_match())
    return {"success": True}


def _collection(name: str) -> Collection:
    return current_app.extensions["collections"].named(name)


def _if_match() -> str | None:
    """Its quotes are optional, and `*` asks for nothing."""
    given = request.headers.get("If-Match", "").strip()
    return given.strip('"') if given not in ("", "*") else None


def _idempotency_key() -> str | None:
    given = request.headers.get("Idempotency-Key")
    if given is not None and not KEY.fullmatch(given):
        raise InvalidRequest(details={"Idempotency-Key": [KEY_RULE]})
    return given
