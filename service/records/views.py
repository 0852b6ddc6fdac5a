"""`/api/records`: reading collections. Source: contract section 7."""

import json
from typing import Any

from flask import Blueprint, current_app, g
from marshmallow import Schema, ValidationError, fields, post_load, validate

from service.edge import Text, answers, query
from service.records import store
from service.records.store import Query

records = Blueprint("records", __name__, url_prefix="/api/records")


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
    limit = fields.Integer(validate=validate.Range(1, 200))
    cursor = Text(validate=validate.Length(1, 2000))

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


@records.get("/<collection>")
@query(ListQuery())
@answers(PageSchema())
def find(asked: Query, collection: str) -> dict[str, Any]:
    """List the records of a collection that the caller may read"""
    return store.find(_collection(collection), g.caller, asked)


@records.get("/<collection>/<record_id>")
@answers(RecordSchema())
def get(collection: str, record_id: str) -> dict[str, Any]:
    """Read one record"""
    return store.get(_collection(collection), g.caller, record_id)


def _collection(name: str) -> Any:
    return current_app.extensions["collections"].named(name)
