"""SQLite's plans of the statements that an app executes, and the tables that it reads whole."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import event

from service.extensions import db

# A table, by its name or by one that SQLAlchemy has given it, as in `messages_1`.
SCAN = re.compile(r"SCAN (\w+?)(?:_\d+)?\b(?!.* INDEX )")


@contextmanager
def noting_statements(engine) -> Iterator[dict[str, Any]]:
    """Yield a dictionary that gets each statement, with the parameters of its last execution."""
    statements: dict[str, Any] = {}

    def note(connection, cursor, statement, parameters, context, executemany):
        is_named = isinstance(parameters, dict)
        is_many = bool(parameters) and not is_named and isinstance(parameters[0], list | tuple)
        first = parameters[0] if is_many else parameters
        statements[statement] = first if is_named else tuple(first)

    event.listen(engine, "before_cursor_execute", note)
    try:
        yield statements
    finally:
        event.remove(engine, "before_cursor_execute", note)
    assert statements, "the app has sent none"


@contextmanager
def noting_plans(app) -> Iterator[list[str]]:
    """Yield a list that has the lines of the plans once the block has ended."""
    with app.app_context():
        engine = db.engine
    lines: list[str] = []
    with noting_statements(engine) as statements:
        yield lines
    with engine.connect() as connection:
        for statement, parameters in statements.items():
            plan = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters)
            lines += [row.detail for row in plan]


def blocks_read(statements: dict[str, Any]) -> int:
    """Return how many blocks PostgreSQL reads, from memory or from disk, to execute queries again.

    A text that is stored outside of its row is read from its blocks each time that it is used.
    """
    blocks = 0
    with db.engine.connect() as connection:
        for statement, parameters in statements.items():
            explain = f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {statement}"
            [plan] = connection.exec_driver_sql(explain, parameters).scalar_one()
            blocks += plan["Plan"]["Shared Hit Blocks"] + plan["Plan"]["Shared Read Blocks"]
    return blocks


@contextmanager
def noting_whole_tables(app) -> Iterator[set[str]]:
    """Yield a set that has the names of these tables once the block has ended.

    A scan of an index does not count.
    """
    names: set[str] = set()
    with noting_plans(app) as lines:
        yield names
    scans = [SCAN.match(line) for line in lines]
    names |= {found[1] for found in scans if found}
