"""Statements that are compiled once and sent without SQLAlchemy's execution.

SQLAlchemy looks a statement up in its cache at each execution, and makes objects for the execution
and its result. For a short statement that takes four times as long as the statement itself on
SQLite, so the statements of every turn are sent without it. SQLAlchemy's types, its events before a
statement and its handling of errors are still used. Source: docs/decisions/0024.

On SQLite a statement is executed by the driver's cursor at once. On PostgreSQL it is sent with the
next one whose reply is read, or with the commit: several share a round trip. Source:
docs/decisions/0039.
"""

from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractContextManager
from typing import Any

from flask import Flask, current_app
from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.sql.expression import Executable

from service.app_keys import AppKey
from service.database.driver_statements import DriverStatement, Values, compile_statement
from service.database.kept_transaction import KeptTransaction
from service.extensions import db

READ_ENGINE = AppKey[Engine]("read_engine")


class Prepared:
    """A statement for every dialect, or a function that builds it for the name of a dialect.

    An INSERT without values must always get the same keys.
    """

    def __init__(self, statement: Executable | Callable[[str], Executable]) -> None:
        self._statement = statement
        self._by_dialect: dict[str, DriverStatement] = {}

    def send(self, connection: Connection, values: Values) -> "StatementReply":
        """Execute the statement.

        Until the reply is read, an error may be raised at a later statement or at the commit. So
        read a reply, or call `await_replies`, before a savepoint ends.
        """
        statement = self._for(connection, values)
        reply = statement.execute(connection, statement.parameters(values))
        return StatementReply(connection, statement, reply)

    def send_many(self, connection: Connection, rows: Sequence[Values]) -> None:
        """Execute the statement for each of the rows, without replies."""
        statement = self._for(connection, rows[0])
        statement.execute_many(connection, [statement.parameters(values) for values in rows])

    def rows(self, connection: Connection, values: Values) -> list[Any]:
        """Return the rows of the result. Their columns are attributes."""
        return self.send(connection, values).rows

    def row(self, connection: Connection, values: Values) -> Any:
        """Return the first row, or None."""
        return self.send(connection, values).row

    def each(self, connection: Connection, values: Values) -> Generator[Any]:
        """Yield the rows as they are read. Close the iterator if it is not read to its end."""
        statement = self._for(connection, values)
        cursor = statement.execute_each(connection, statement.parameters(values))
        try:
            for row in cursor:
                yield statement.read([row])[0]
        except GeneratorExit:  # whoever reads has enough, and nothing has failed
            raise
        except statement.failures as error:
            statement.fail(connection, error)
        finally:
            cursor.close()

    def run(self, connection: Connection, values: Values) -> int:
        """Execute the statement. Return how many rows it has changed."""
        return self.send(connection, values).count

    def is_refused_by(self, error: DBAPIError) -> bool:
        """Return whether this is the statement that the error is about."""
        # The driver's error comes first: it may be raised at a later statement than its own.
        sent = getattr(error.orig, "statement", None) or error.statement
        return any(statement.text == sent for statement in self._by_dialect.values())

    def _for(self, connection: Connection, values: Values) -> DriverStatement:
        dialect = connection.dialect
        known = self._by_dialect.get(dialect.name)
        if known is None:
            built = self._statement
            whole = built if isinstance(built, Executable) else built(dialect.name)
            known = self._by_dialect[dialect.name] = compile_statement(whole, dialect, values)
        return known


def await_replies(connection: Connection) -> None:
    """Wait for the replies to all statements so far.

    Raises SQLAlchemy's error about the first refused statement.
    """
    NOTHING.run(connection, {})


def read_row(statement: Prepared, values: Values) -> Any:
    """Read a row outside of any transaction. Needs an app context."""
    if db.session.registry.has():  # it may hold a connection, and must not wait for a second one
        row = statement.row(db.session.connection(), values)
        db.session.commit()
        return row
    with reading(current_app) as connection:  # a session costs three times as much
        return statement.row(connection, values)


def reading(app: Flask) -> AbstractContextManager[Connection]:
    """Return a context with a connection for single SELECTs.

    They run without a transaction, which PostgreSQL would have to begin and end.
    """
    return KeptTransaction(READ_ENGINE.of(app), immediate=False)


NOTHING = Prepared(text("SELECT 1"))


class StatementReply:
    """The database's reply to a statement. Reading an attribute waits for the reply.

    Raises SQLAlchemy's errors, which also invalidate a lost connection.
    """

    __slots__ = ("_connection", "_reply", "_statement")

    def __init__(self, connection: Connection, statement: DriverStatement, reply: Any) -> None:
        self._connection, self._statement, self._reply = connection, statement, reply

    @property
    def rows(self) -> list[Any]:
        return self._statement.rows(self._connection, self._reply)

    @property
    def row(self) -> Any:
        rows = self.rows
        return rows[0] if rows else None

    @property
    def count(self) -> int:
        return self._statement.count(self._connection, self._reply)
