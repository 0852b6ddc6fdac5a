"""SQLite's plans of the statements that an app executes, and the tables that it reads whole."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import event

from service.extensions import db

# A table, by its name or by one that SQLAlchemy has given it, as in `messages_1`.
SCAN = re.compile(r"SCAN (\w+?)(?:_\d+)?\b(?!.* INDEX )")


@contextmanager
def noting_plans(app) -> Iterator[list[str]]:
    """Yield a list that has the lines of the plans once the block has ended."""
    with app.app_context():
        engine = db.engine
    statements: dict = {}
    lines: list[str] = []

    def note(connection, cursor, statement, parameters, context, executemany):
        is_many = bool(parameters) and isinstance(parameters[0], list | tuple)
        statements[statement] = tuple(parameters[0] if is_many else parameters)

    event.listen(engine, "before_cursor_execute", note)
    try:
        yield lines
    finally:
        event.remove(engine, "before_cursor_execute", note)
    assert statements, "the app has sent none"
    with engine.connect() as connection:
        for statement, parameters in statements.items():
            plan = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters)
            lines += [row.detail for row in plan]


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
