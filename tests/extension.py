"""What an app may add: a collection and tools of its own."""

import gc

import greenlet
from marshmallow import Schema, fields
from sqlalchemy import text

from service.chat.models import Chat
from service.chat.tools.tool import ToolContext, tool
from service.extensions import db
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


class Nothing(Schema):
    pass


LOCK = 7  # whoever has it keeps test.hang hanging


@tool("test.greenlets", Nothing(), reads=True)
def count_greenlets(context: ToolContext) -> dict[str, int]:
    """Count this worker's live greenlets."""
    gc.collect()
    alive = [item for item in gc.get_objects() if isinstance(item, greenlet.greenlet) and item]
    return {"count": len(alive)}


@tool("test.hang", Nothing(), reads=True)
def hang(context: ToolContext) -> str:
    """Hang in a query of the database."""
    db.session.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": LOCK})
    return "done"


@tool("test.long", Nothing(), reads=True)
def long_text(context: ToolContext) -> str:
    """A long text."""
    return "word " * 10_000


TOOLS = (add, break_down, count_greenlets, hang, long_text)
COLLECTIONS = (
    Collection(
        "open-notes",
        columns=(Column("userId", attribute="user_id"), Column("title", attribute="title")),
        permissions={"*": {"read": True}},
        model=Chat,
    ),
)
