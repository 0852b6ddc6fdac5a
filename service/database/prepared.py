"""Statements that are compiled once and sent by the driver's cursor.

SQLAlchemy looks a statement up in its cache at each execution, and makes objects for the execution
and its result. For a short statement that takes four times as long as the statement itself on
SQLite, so the statements of every turn are sent without it. Its types, its events before a
statement and its handling of errors stay. Source: docs/decisions/0024.
"""

import re
from collections import namedtuple
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from typing import Any

from flask import current_app
from sqlalchemy import Connection, Dialect, Engine
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.expression import Executable

from service.extensions import db

JOINED = 8  # rows at most: each number of them is a statement of its own
INSERT = re.compile(r"(?P<head>INSERT INTO \w+ \([^()]*\) VALUES )(?P<values>\(.*\))", re.DOTALL)
PARAMETER = re.compile(r"%\((\w+)\)s")

Values = Mapping[str, Any]
Convert = Callable[[Any], Any]


class Prepared:
    """A statement for every dialect, or one for each by its name.

    An INSERT without values must always get the same keys.
    """

    def __init__(self, *statements: Executable, **by_dialect: Executable) -> None:
        self._statement = statements[0] if statements else None
        self._by_dialect = by_dialect
        self._compiled: dict[str, _Compiled] = {}

    def __str__(self) -> str:
        return str(self._statement)

    def rows(self, connection: Connection, values: Values) -> list[Any]:
        """The rows of the result; their columns are attributes."""
        compiled = self._for(connection, values)
        cursor = compiled.send(connection, compiled.parameters(values))
        return compiled.read(cursor.fetchall())

    def row(self, connection: Connection, values: Values) -> Any:
        """The first row, or None."""
        rows = self.rows(connection, values)
        return rows[0] if rows else None

    def each(self, connection: Connection, values: Values) -> Generator[Any]:
        """The rows, each when it is asked for. Close the iterator if it is not read to its end."""
        compiled = self._for(connection, values)
        parameters = compiled.parameters(values)
        with closing(compiled.send(connection, parameters)) as cursor:
            yield from compiled.fetch(connection, cursor, parameters)

    def run(self, connection: Connection, values: Values) -> int:
        """How many rows it has changed."""
        compiled = self._for(connection, values)
        count: int = compiled.send(connection, compiled.parameters(values)).rowcount
        return count

    def run_many(self, connection: Connection, rows: Sequence[Values]) -> None:
        compiled = self._for(connection, rows[0])
        parameters = [compiled.parameters(values) for values in rows]
        if len(rows) == 1:
            compiled.send(connection, parameters[0])
        elif compiled.can_join and len(rows) <= JOINED:
            compiled.send_joined(connection, parameters)
        else:
            compiled.send(connection, parameters, many=True)

    def _for(self, connection: Connection, values: Values) -> "_Compiled":
        assert connection.in_transaction(), "which a driver's cursor does not begin"
        dialect = connection.dialect
        compiled = self._compiled.get(dialect.name)
        if compiled is None:
            statement = self._by_dialect.get(dialect.name, self._statement)
            assert statement is not None
            compiled = self._compiled[dialect.name] = _Compiled(statement, dialect, values)
        return compiled


def read_row(statement: Prepared, values: Values) -> Any:
    """Read a row outside of any transaction. Needs an app context."""
    if db.session.registry.has():  # it may hold a connection, and nobody may wait for a second
        row = statement.row(db.session.connection(), values)
        db.session.commit()
        return row
    reader: Engine = current_app.extensions["reader"]
    with reader.begin() as connection:  # a session costs three times as much
        return statement.row(connection, values)


class _Compiled:
    def __init__(self, statement: Executable, dialect: Dialect, values: Values) -> None:
        compiled: Any = statement.compile(dialect=dialect, column_keys=list(values))  # type: ignore[attr-defined]
        assert isinstance(compiled, SQLCompiler)
        self.text = compiled.string
        self._error: type[Exception] = dialect.loaded_dbapi.Error
        binds = {compiled.bind_names[bind]: bind for bind in compiled.bind_names}
        self._constants = {name: bind.value for name, bind in binds.items() if not bind.required}
        for column in compiled.insert_prefetch:
            default: Any = column.default
            assert default.is_scalar, f"a value for {column.key}"
            self._constants[column.key] = default.arg
        converting = {
            name: bind.type.dialect_impl(dialect).bind_processor(dialect)
            for name, bind in binds.items()
        }
        names = compiled.positiontup if compiled.positional else list(binds)
        self._parts = [(name, converting[name]) for name in names or ()]
        self._is_positional = compiled.positional
        is_plain = bool(INSERT.fullmatch(self.text)) and " ON CONFLICT " not in self.text
        self.can_join = is_plain and not compiled.positional
        self._joined: dict[int, str] = {}  # by the number of rows
        self._read_columns(compiled, dialect)

    def _read_columns(self, compiled: SQLCompiler, dialect: Dialect) -> None:
        columns = compiled._result_columns  # noqa: SLF001 - the only list of their types
        self._row = _row_type([column.keyname for column in columns])
        self._converting = [
            column.type.dialect_impl(dialect).result_processor(dialect, None) for column in columns
        ]
        self._converts = any(self._converting)

    def parameters(self, values: Values) -> Any:
        constants, given = self._constants, values
        found = [given[name] if name in given else constants[name] for name, _ in self._parts]
        converted = [
            convert(value) if convert else value
            for value, (_, convert) in zip(found, self._parts, strict=True)
        ]
        if self._is_positional:
            return converted
        return {name: value for value, (name, _) in zip(converted, self._parts, strict=True)}

    def send(
        self, connection: Connection, parameters: Any, many: bool = False, text: str = ""
    ) -> Any:
        """The cursor. Raises SQLAlchemy's errors, which end a lost connection as well."""
        driver: Any = connection.connection.dbapi_connection
        cursor, text = driver.cursor(), text or self.text
        for listener in connection.dispatch.before_cursor_execute:
            listener(connection, cursor, text, parameters, None, many)
        try:
            (cursor.executemany if many else cursor.execute)(text, parameters)
        except self._error as error:
            connection._handle_dbapi_exception(error, text, parameters, cursor, None)  # noqa: SLF001
        return cursor

    def send_joined(self, connection: Connection, rows: list[dict[str, Any]]) -> None:
        """Insert a few rows by one statement. psycopg's `executemany` takes three round trips."""
        parameters = {f"{key}_{n}": row[key] for n, row in enumerate(rows) for key in row}
        if len(rows) not in self._joined:
            self._joined[len(rows)] = self._join(len(rows))
        self.send(connection, parameters, text=self._joined[len(rows)])

    def _join(self, count: int) -> str:
        parts = INSERT.fullmatch(self.text)
        assert parts
        values = [PARAMETER.sub(rf"%(\1_{n})s", parts["values"]) for n in range(count)]
        return parts["head"] + ", ".join(values)

    def fetch(self, connection: Connection, cursor: Any, parameters: Any) -> Iterator[Any]:
        """Read a row at a time. Raises SQLAlchemy's errors, which SQLite's may be here too."""
        try:
            for row in cursor:
                yield self.read([row])[0]
        except self._error as error:
            connection._handle_dbapi_exception(error, self.text, parameters, cursor, None)  # noqa: SLF001

    def read(self, rows: list[Any]) -> list[Any]:
        if not self._converts:
            return list(map(self._row._make, rows))
        return [
            self._row._make(
                convert(value) if convert else value
                for convert, value in zip(self._converting, row, strict=True)
            )
            for row in rows
        ]


def _row_type(names: list[str]) -> Any:
    return namedtuple("Row", names)  # noqa: PYI024 - their names come from the statement
