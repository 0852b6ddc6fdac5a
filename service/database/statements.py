"""What functions need of a transaction, and how many rows a statement has changed."""

from typing import Any, Protocol, cast

from sqlalchemy import Connection, CursorResult, Delete, Executable, Update


class Statements(Protocol):
    """A session of the ORM has it, and a transaction without one."""

    def execute(self, statement: Executable, params: Any = None) -> Any: ...

    def scalar(self, statement: Executable, params: Any = None) -> Any: ...

    def scalars(self, statement: Executable, params: Any = None) -> Any: ...

    def connection(self) -> Connection: ...


def count_changes(session: Statements, statement: Delete | Update) -> int:
    """Execute a statement; returns how many rows it changed."""
    return cast("CursorResult[Any]", session.execute(statement)).rowcount
