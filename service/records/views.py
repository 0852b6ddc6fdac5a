"""`/api/records`: read and change records. Source: docs/contract.md, section 7."""

from typing import Any, get_args

from flask import Blueprint, current_app, g, request
from flask.blueprints import BlueprintSetupState
from marshmallow import Schema, ValidationError, fields, post_load, validate
from werkzeug.routing import BaseConverter

from service.auth import permits
from service.auth.bearer import open_to
from service.auth.users import current_role
from service.records import creation, store, writes
from service.records.collection import APP_COLLECTIONS, Collection, ColumnType
from service.records.description import describe, list_readable
from service.records.permissions import ACTIONS
from service.records.query import CURSOR_LIMIT, SORT_LIMIT
from service.records.store import Query
from service.records.versions import IF_MATCH, expected_version
from service.web.edge import answers, idempotency_key, json_body, query, refuses, takes
from service.web.errors import Conflict, Forbidden, RateLimited
from service.web.fields import Text, page_limit
from service.web.json_values import decode

ONCE = "Requests with the same key create one record in 24 hours."
WHERE = 'A filter, as the text of a JSON object: `{"done": {"eq": true}}`.'
SORT = "A column, descending with `-` in front; without it, the order of insertion."

records = Blueprint("records", __name__, url_prefix="/api/records")


class RecordId(BaseConverter):
    """The rest of the path with its slashes, because clients choose the ids of their messages."""

    regex = "[^\\0]+"
    part_isolating = False


@records.record_once
def _convert(state: BlueprintSetupState) -> None:
    state.app.url_map.converters["id"] = RecordId


class WhereField(fields.Field[Any]):
    """A JSON object in the query string."""

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> Any:
        try:
            return decode(value)
        except ValueError:
            raise ValidationError("Must be a JSON object.") from None


class ListQuery(Schema):
    where = WhereField(metadata={"type": "string", "description": WHERE})
    sort = Text(validate=validate.Length(1, SORT_LIMIT), metadata={"description": SORT})
    limit = page_limit()
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


class ColumnSchema(Schema):
    name = fields.String(required=True)
    type = fields.String(required=True, validate=validate.OneOf(get_args(ColumnType)))
    required = fields.Boolean(required=True)
    readOnly = fields.Boolean(required=True)


OWN = {"type": "string", "enum": ["own"]}  # a `const` breaks the union of openapi-python-client


class CollectionSchema(Schema):
    """A collection. A permission is true, false, or "own" for the caller's own records only."""

    name = fields.String(required=True)
    owner = fields.String(required=True)
    columns = fields.List(fields.Nested(ColumnSchema), required=True)
    permissions = fields.Dict(
        keys=fields.String(validate=validate.OneOf(ACTIONS)),
        values=fields.Raw(metadata={"anyOf": [{"type": "boolean"}, OWN]}),
        required=True,
    )


class CollectionsSchema(Schema):
    collections = fields.List(fields.Nested(CollectionSchema), required=True)


class DataSchema(Schema):
    """The columns of the collection, which `GET /api/records` lists."""

    class Meta:
        unknown = "include"


class DeletedSchema(Schema):
    success = fields.Boolean(required=True)


@records.get("")
@open_to("chat")
@refuses(Forbidden)
@answers(CollectionsSchema())
def collections() -> dict[str, Any]:
    """List the collections that you may read, with their columns and your permissions"""
    role = current_role(g.caller)
    declared = list_readable(APP_COLLECTIONS.of(current_app), role, g.caller.permit)
    return {"collections": [{**describe(one, role), "owner": one.owner} for one in declared]}


@records.get("/<collection>")
@open_to("chat")
@query(ListQuery())
@refuses(Forbidden)
@answers(PageSchema())
def find(query: Query, collection: str) -> dict[str, Any]:
    """List the records of a collection that you may read"""
    return store.find(_collection(collection), g.caller, query)


@records.post("/<collection>")
@json_body(DataSchema())
@takes(Idempotency_Key=ONCE)
@refuses(Forbidden, Conflict, RateLimited)
@answers(RecordSchema(), 201)
def create(data: Any, collection: str) -> dict[str, Any]:
    """Create a record that you own; the body is its data

    A request repeated within 24 hours with the same `Idempotency-Key` and data creates no second
    record; the answer is the current state of the first one.
    """
    return creation.create(_collection(collection), g.caller, data, key=idempotency_key())


@records.get("/<collection>/<id:record_id>")
@open_to("chat")
@refuses(Forbidden)
@answers(RecordSchema())
def get(collection: str, record_id: str) -> dict[str, Any]:
    """Read one record"""
    return store.get(_collection(collection), g.caller, record_id)


@records.patch("/<collection>/<id:record_id>")
@json_body(DataSchema())
@takes(If_Match=IF_MATCH)
@refuses(Forbidden, Conflict, RateLimited)
@answers(RecordSchema())
def update(data: Any, collection: str, record_id: str) -> dict[str, Any]:
    """Update columns of a record; `null` empties a column

    With `If-Match: <updatedAt>`, a record that has been changed since is not updated (409).
    """
    version = expected_version(request.headers)
    return writes.update(_collection(collection), g.caller, record_id, data, version)


@records.delete("/<collection>/<id:record_id>")
@takes(If_Match=IF_MATCH)
@refuses(Forbidden, Conflict, RateLimited)
@answers(DeletedSchema())
def delete(collection: str, record_id: str) -> dict[str, bool]:
    """Delete a record and everything that belongs to it

    With `If-Match: <updatedAt>`, a record that has been changed since is not deleted (409).
    """
    writes.delete(_collection(collection), g.caller, record_id, expected_version(request.headers))
    return {"success": True}


def _collection(name: str) -> Collection:
    """Return the collection. Raises `NotFound`, or `Forbidden` if it is closed to the token."""
    collection = APP_COLLECTIONS.of(current_app).get(name)
    permit = g.caller.permit
    if permit and permit.scope not in collection.open_to:
        raise Forbidden(permits.CLOSED)
    return collection
