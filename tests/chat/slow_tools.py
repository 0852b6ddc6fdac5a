"""Tools that answer too much, or never."""

from typing import Any

import gevent
from marshmallow import Schema, fields
from sqlalchemy import text

from service.chat.tools.tool import ToolContext, tool
from service.extensions import db

# Both count for ever; PostgreSQL would put the numbers on disk.
FOREVER = {
    "sqlite": "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
    "SELECT count(*) FROM n",
    "postgresql": "SELECT pg_sleep(60)",
}


class Nothing(Schema):
    pass


class Shape(Schema):
    shape = fields.String(required=True)


@tool("test.forever", Nothing(), reads=True)
def forever(context: ToolContext) -> Any:
    """Ask the database something that has no end."""
    return db.session.scalar(text(FOREVER[db.engine.dialect.name]))


@tool("test.large", Shape(), reads=True)
def large(context: ToolContext, shape: str) -> Any:
    """More than fits into a result."""
    return {
        "text": '\u00e9\\"' * 100_000,
        "list": ["\u00e9" * 90 for _ in range(3_000)],
        "object": {"records": [{"text": "\u00e9" * 60_000} for _ in range(4)]},
        "keys": {f"\u00e9{number}" * 20: number for number in range(5_000)},
    }[shape]


@tool("test.masking", Nothing(), reads=True)
def masking(context: ToolContext) -> Any:
    """Raise an error of its own when it is ended, as a database's driver can."""
    try:
        gevent.sleep(60)
    except BaseException:
        raise RuntimeError("masks what has ended it") from None


@tool("test.slow-write", Nothing(), reads=False)
def slow_write(context: ToolContext) -> Any:
    """Take too long over a change."""
    gevent.sleep(60)


@tool("test.own-limit", Nothing(), reads=True)
def own_limit(context: ToolContext) -> Any:
    """Reach a time limit of its own."""
    with gevent.Timeout(0.01):
        gevent.sleep(60)


TOOLS = (forever, large, masking, slow_write, own_limit)
