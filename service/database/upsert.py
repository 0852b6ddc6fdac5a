"""An INSERT that meets a row of the same key."""

from typing import Any

from sqlalchemy import Connection, Table
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session


def insert_into(session: Session, table: Table) -> Any:
    """Return an INSERT that knows ON CONFLICT, in the dialect of the session's database."""
    dialect = session.connection().dialect.name
    return (postgresql.insert if dialect == "postgresql" else sqlite.insert)(table)


COUNTED = {"preserve_rowcount": True}  # the cursor of an INSERT is closed before it can be asked


class InsertIfAbsent:
    """An INSERT that leaves out a row whose unique key exists, built once for both dialects.

    It waits for a parallel insert of the same key. `values` are those of every row.
    """

    def __init__(self, table: Table, **values: Any) -> None:
        self._by_dialect = {
            name: insert(table).inline().values(**values).on_conflict_do_nothing()
            for name, insert in (("postgresql", postgresql.insert), ("sqlite", sqlite.insert))
        }

    def execute(self, connection: Connection, row: dict[str, Any]) -> bool:
        """Whether the row was inserted."""
        statement = self._by_dialect[connection.dialect.name]
        return connection.execute(statement, row, execution_options=COUNTED).rowcount == 1
