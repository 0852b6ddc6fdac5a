"""Statements that are compiled once and sent without SQLAlchemy's execution.

SQLAlchemy looks a statement up in its cache at each execution, and makes objects for the execution
and its result. For a short statement that takes four times as long as the statement itself on
SQLite, so the statements of every turn are sent without it. Its types, its events before a
statement and its handling of errors stay. Source: docs/decisions/0024.

On SQLite a statement is executed by the driver's cursor at once. On PostgreSQL it is sent with the
next one whose answer is read, or with the commit: several share a round trip. Source:
docs/decisions/0039.
"""

from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from typing import Any, cast

from flask import current_app
from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.sql.expression import Executable

from service.database.compiled import Compiled, Values, compile_statement
from service.extensions import db


class Prepared:
    """A statement for every dialect, or one for each by its name.

    An INSERT without values must always get the same keys.
    """

    def __init__(self, *statements: Executable, **by_dialect: Executable) -> None:
        self._statement = statements[0] if statements else None
        self._by_dialect = by_dialect
        self._compiled: dict[str, Compiled] = {}

    def __str__(self) -> str:
        return str(self._statement)

    def ask(self, connection: Connection, values: Values) -> "Asked":
        """Execute it. Until an answer is read, an error may come out at a later one, or at the
        commit. So read one, or `settle`, before a savepoint ends."""
        compiled = self._for(connection, values)
        return Asked(connection, compiled, compiled.send(connection, compiled.parameters(values)))

    def ask_many(self, connection: Connection, rows: Sequence[Values]) -> None:
        """The same for each of the rows, without answers."""
        compiled = self._for(connection, rows[0])
        compiled.send_many(connection, [compiled.parameters(values) for values in rows])

    def rows(self, connection: Connection, values: Values) -> list[Any]:
        """The rows of the result; their columns are attributes."""
        return self.ask(connection, values).rows

    def row(self, connection: Connection, values: Values) -> Any:
        """The first row, or None."""
        return self.ask(connection, values).row

    def each(self, connection: Connection, values: Values) -> Generator[Any]:
        """The rows, each when it is asked for. Close the iterator if it is not read to its end."""
        compiled = self._for(connection, values)
        cursor = compiled.send(connection, compiled.parameters(values), each=True)
        with closing(Asked(connection, compiled, cursor)) as answer:
            yield from answer.each()

    def run(self, connection: Connection, values: Values) -> int:
        """How many rows it has changed."""
        return self.ask(connection, values).count

    def is_refused_by(self, error: DBAPIError) -> bool:
        """Whether this is the statement that the error is about."""
        # That of a statement that was sent before comes first: it may come out at another one.
        sent = getattr(error.orig, "statement", None) or error.statement
        return any(compiled.text == sent for compiled in self._compiled.values())

    def _for(self, connection: Connection, values: Values) -> Compiled:
        assert connection.in_transaction(), "which a driver's cursor does not begin"
        dialect = connection.dialect
        compiled = self._compiled.get(dialect.name)
        if compiled is None:
            statement = self._by_dialect.get(dialect.name, self._statement)
            assert statement is not None
            compiled = self._compiled[dialect.name] = compile_statement(statement, dialect, values)
        return compiled


def settle(connection: Connection) -> None:
    """Wait for all that was asked. Raises SQLAlchemy's error about the first that was refused."""
    NOTHING.run(connection, {})


def read_row(statement: Prepared, values: Values) -> Any:
    """Read a row outside of any transaction. Needs an app context."""
    if db.session.registry.has():  # it may hold a connection, and nobody may wait for a second
        row = statement.row(db.session.connection(), values)
        db.session.commit()
        return row
    reader: Engine = current_app.extensions["reader"]
    with reader.begin() as connection:  # a session costs three times as much
        return statement.row(connection, values)


NOTHING = Prepared(text("SELECT 1"))


class Asked:
    """What the database says to a statement. To read it is to wait for it. Raises SQLAlchemy's
    errors, which end a lost connection as well."""

    __slots__ = ("_compiled", "_connection", "_cursor")

    def __init__(self, connection: Connection, compiled: Compiled, cursor: Any) -> None:
        self._connection, self._compiled, self._cursor = connection, compiled, cursor

    @property
    def rows(self) -> list[Any]:
        try:
            found = self._cursor.fetchall()
        except self._compiled.failures as error:
            self._compiled.fail(self._connection, error)
        return self._compiled.read(found)

    @property
    def row(self) -> Any:
        rows = self.rows
        return rows[0] if rows else None

    @property
    def count(self) -> int:
        try:
            return cast("int", self._cursor.rowcount)
        except self._compiled.failures as error:
            self._compiled.fail(self._connection, error)

    def each(self) -> Iterator[Any]:
        try:
            for row in self._cursor:
                yield self._compiled.read([row])[0]
        except self._compiled.failures as error:
            self._compiled.fail(self._connection, error)

    def close(self) -> None:
        self._cursor.close()
