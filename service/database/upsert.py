"""An INSERT that meets a row of the same key."""

from typing import Any

from sqlalchemy import Connection, Table
from sqlalchemy.dialects import sqlite

from service.database.prepared import Prepared, StatementReply
from service.database.statements import Statements
from service.lazy import DeferredModule

DIALECTS: dict[str, Any] = {
    "postgresql": DeferredModule("sqlalchemy.dialects.postgresql"),
    "sqlite": sqlite,
}


def insert_into(session: Statements, table: Table) -> Any:
    """Return an INSERT that knows ON CONFLICT, in the dialect of the session's database."""
    return insert(session.connection().dialect.name, table)


def insert(dialect: str, table: Table) -> Any:
    """Return an INSERT that knows ON CONFLICT, in a dialect by its name."""
    return DIALECTS[dialect].insert(table)


class InsertIfAbsent:
    """An INSERT that leaves out a row whose unique key exists, built once for a dialect.

    It waits for a parallel insert of the same key. `values` are those of every row.
    """

    def __init__(self, table: Table, **values: Any) -> None:
        self._table, self._values = table, values
        self._statement = Prepared(self._build)

    def execute(self, connection: Connection, row: dict[str, Any]) -> bool:
        """Whether the row was inserted."""
        return self.ask(connection, row).count == 1

    def ask(self, connection: Connection, row: dict[str, Any]) -> StatementReply:
        """Its count is 1 if the row was inserted."""
        return self._statement.ask(connection, row)

    def _build(self, dialect: str) -> Any:
        whole = insert(dialect, self._table).inline().values(**self._values)
        return whole.on_conflict_do_nothing()
