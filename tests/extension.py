"""What an app may add: a collection and tools of its own."""

from marshmallow import Schema, fields

from service.chat.models import Chat
from service.chat.tools.tool import ToolContext, tool
from service.records.collection import Collection, Column


class Sum(Schema):
    left = fields.Integer(required=True)
    right = fields.Integer(required=True)


class How(Schema):
    how = fields.String(required=True)


@tool("test.add", Sum(), reads=True)
def add(context: ToolContext, left: int, right: int) -> dict[str, int]:
    """Add two numbers."""
    return {"sum": left + right}


@tool("test.break", How(), reads=True)
def break_down(context: ToolContext, how: str) -> object:
    """Fail in a way of your choice."""
    if how == "raise":
        raise RuntimeError("secret-canary")
    poison = {"rows": [{"__proto__": 1}]}
    return {"not-json": object(), "surrogate": "\ud800", "poison": poison}[how]


TOOLS = (add, break_down)
COLLECTIONS = (
    Collection("open-notes", Chat, "record_id", "user_id", (Column("title", "title"),),
               {"*": {"read": True}}),
)  # fmt: skip
