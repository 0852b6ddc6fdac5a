"""The interface of a transaction, and a function that counts the rows a statement changes."""

from typing import Any, Protocol, cast

from sqlalchemy import Connection, CursorResult, Delete, Executable, Update


class Statements(Protocol):
    """The methods that a session of the ORM and a transaction without a session both have."""

    def execute(self, statement: Executable, params: Any = None) -> Any: ...

    def scalar(self, statement: Executable, params: Any = None) -> Any: ...

    def scalars(self, statement: Executable, params: Any = None) -> Any: ...

    def connection(self) -> Connection: ...


def count_changes(session: Statements, statement: Delete | Update) -> int:
    """Execute a statement. Return how many rows it changed."""
    return cast("CursorResult[Any]", session.execute(statement)).rowcount
