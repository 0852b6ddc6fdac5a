"""What functions need of a transaction in which they run statements."""

from typing import Any, Protocol

from sqlalchemy import Connection, Executable


class Statements(Protocol):
    """A session of the ORM has it, and a transaction without one."""

    def execute(self, statement: Executable, params: Any = None) -> Any: ...

    def scalar(self, statement: Executable, params: Any = None) -> Any: ...

    def scalars(self, statement: Executable, params: Any = None) -> Any: ...

    def connection(self) -> Connection: ...
