"""Which tables SQLite reads whole, by its plans of the statements that an app executes."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import event

from service.extensions import db


@contextmanager
def noting_whole_tables(app) -> Iterator[set[str]]:
    """The names of the tables, once the block has ended. A walk through an index is none of it."""
    with app.app_context():
        engine = db.engine
    statements: dict = {}
    names: set[str] = set()

    def note(connection, cursor, statement, parameters, context, executemany):
        is_many = bool(parameters) and isinstance(parameters[0], list | tuple)
        statements[statement] = tuple(parameters[0] if is_many else parameters)

    event.listen(engine, "before_cursor_execute", note)
    try:
        yield names
    finally:
        event.remove(engine, "before_cursor_execute", note)
    with engine.connect() as connection:
        for statement, parameters in statements.items():
            plan = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters)
            scans = [re.match(r"SCAN (\w+)(?!.* INDEX )", row.detail) for row in plan]
            names |= {found[1] for found in scans if found}
