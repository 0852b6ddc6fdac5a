"""Build an INSERT for rows whose key may already exist."""

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
    """Return an INSERT that supports ON CONFLICT, in the dialect of the session's database."""
    return insert(session.connection().dialect.name, table)


def insert(dialect: str, table: Table) -> Any:
    """Return an INSERT that supports ON CONFLICT, in the dialect of that name."""
    return DIALECTS[dialect].insert(table)


class InsertIfAbsent:
    """An INSERT that skips a row whose unique key exists. It is built once for a dialect.

    It waits for a parallel insert of the same key. Every row gets `values`.
    """

    def __init__(self, table: Table, **values: Any) -> None:
        self._table, self._values = table, values
        self._statement = Prepared(self._build)

    def execute(self, connection: Connection, row: dict[str, Any]) -> bool:
        """Insert a row. Return whether it was inserted."""
        return self.send(connection, row).count == 1

    def send(self, connection: Connection, row: dict[str, Any]) -> StatementReply:
        """Insert a row. Return the reply, whose count is 1 if the row was inserted."""
        return self._statement.send(connection, row)

    def _build(self, dialect: str) -> Any:
        whole = insert(dialect, self._table).inline().values(**self._values)
        return whole.on_conflict_do_nothing()
