"""The tools that describe the app to the model: collections, their columns, and the caller."""

from typing import Any

from marshmallow import Schema, fields, validate

from service.auth.users import current_role
from service.chat.collections import USERS
from service.chat.tools.tool import ToolContext, tool
from service.records import description, permissions, store
from service.web.errors import NotFound


class Nothing(Schema):
    pass


class CollectionName(Schema):
    collection = fields.String(
        required=True,
        validate=validate.Length(1, 100),
        metadata={"description": "A collection's name, as schema.list gives it."},
    )


@tool("schema.list", Nothing(), reads=True)
def list_collections(context: ToolContext) -> dict[str, Any]:
    """List the names of the record collections that the user may read."""
    role = current_role(context.caller)
    return {"collections": [c.name for c in description.list_readable(context.collections, role)]}


@tool("schema.describe", CollectionName(), reads=True)
def describe_collection(context: ToolContext, collection: str) -> dict[str, Any]:
    """Describe one collection: its columns with their types, and what the user may do with it.
    A permission is true, false, or "own" for the user's own records only."""
    role = current_role(context.caller)
    described = context.collections.get(collection)
    if not any(permissions.rules(described, role).values()):
        raise NotFound(f"There is no collection of that name: {collection}")
    return description.describe(described, role)


@tool("user.current", Nothing(), reads=True)
def current_user(context: ToolContext) -> dict[str, Any]:
    """Look up the record of the user you are talking to."""
    return store.get(USERS, context.caller, context.caller.subject)


LOOKUPS = (list_collections, describe_collection, current_user)
