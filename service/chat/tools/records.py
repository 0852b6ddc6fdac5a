"""The tools for records. They use the same store and checks as HTTP and the socket.

Source: docs/contract.md, "Assistant tools" and section 8.
"""

from typing import Any

from marshmallow import Schema, fields, validate

from service.chat.tools.tool import ToolContext, tool
from service.records.query import CURSOR_LIMIT, SORT_LIMIT
from service.web.fields import MOST_ITEMS, PAGE_ITEMS, JsonInteger, Text

RESULT_BYTES = 150_000  # of a page of records, so that it is complete or has a cursor

CollectionField = Text(
    required=True,
    validate=validate.Length(1, 100),
    metadata={"description": "A collection's name, as schema.list gives it."},
)
RecordIdField = Text(required=True, validate=validate.Length(1, 255))
DataField = fields.Dict(
    keys=fields.String(),
    required=True,
    metadata={"description": "Values by column name; schema.describe names the columns."},
)


class RecordQuery(Schema):
    collection = CollectionField
    where = fields.Dict(
        keys=fields.String(),
        metadata={
            "description": 'A filter: {"column": value} or {"column": {"gt": 5}}, with the '
            "operators eq ne lt lte gt gte in contains startsWith, all of which must hold; "
            '{"or": [filter, filter]} for alternatives.'
        },
    )
    sort = Text(
        validate=validate.Length(1, SORT_LIMIT),
        metadata={"description": "A column's name, with - in front for descending."},
    )
    limit = JsonInteger(validate=validate.Range(1, MOST_ITEMS))
    cursor = Text(
        validate=validate.Length(1, CURSOR_LIMIT),
        metadata={"description": "The nextCursor of the page before."},
    )


class RecordName(Schema):
    collection = CollectionField
    recordId = RecordIdField


class NewRecord(Schema):
    collection = CollectionField
    data = DataField


class RecordChange(RecordName):
    data = DataField


@tool("records.query", RecordQuery(), reads=True)
def query(context: ToolContext, collection: str, **parameters: Any) -> dict[str, Any]:
    """List the records of a collection that the user may read, 50 at a time unless told.
    When `nextCursor` is not null there are more; `truncated` says that the page is shorter than
    asked for because its records are large."""
    page = context.records.find(collection, **parameters, bytes=RESULT_BYTES)
    if page["nextCursor"] and len(page["records"]) < parameters.get("limit", PAGE_ITEMS):
        page["truncated"] = True
    return page


@tool("records.get", RecordName(), reads=True)
def get(context: ToolContext, collection: str, recordId: str) -> dict[str, Any]:  # noqa: N803
    """Fetch one record by its id."""
    return context.records.get(collection, recordId)


@tool("records.create", NewRecord(), reads=False)
def create(context: ToolContext, collection: str, data: dict[str, Any]) -> dict[str, Any]:
    """Create a record that belongs to the user."""
    return context.records.create(collection, data)


@tool("records.update", RecordChange(), reads=False)
def update(
    context: ToolContext,
    collection: str,
    recordId: str,  # noqa: N803 - the names are the contract's
    data: dict[str, Any],
) -> dict[str, Any]:
    """Change columns of a record; the others stay as they are, null empties one."""
    return context.records.update(collection, recordId, data)


@tool("records.delete", RecordName(), reads=False)
def delete(context: ToolContext, collection: str, recordId: str) -> dict[str, Any]:  # noqa: N803
    """Delete a record. Only when the user has asked for it."""
    context.records.delete(collection, recordId)
    return {"deleted": recordId}


RECORDS = (query, get, create, update, delete)
