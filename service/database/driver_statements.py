"""Statements that are compiled for a database and sent by its driver. `Prepared` uses them."""

import re
from abc import ABC, abstractmethod
from collections import namedtuple
from collections.abc import Iterable, Mapping
from typing import Any, NoReturn, cast

from sqlalchemy import Connection, Dialect
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.expression import Executable

from service.database.kept_transaction import INTERRUPTIONS, adopt, driver_of

PARAMETER = re.compile(r"%\((\w+)\)s")

Values = Mapping[str, Any]


class DriverStatement(ABC):
    """A statement that is compiled for a database."""

    text: str  # as it is sent
    failures: tuple[type[BaseException], ...]  # the errors that are passed to `fail`

    def __init__(self, compiled: SQLCompiler, dialect: Dialect, names: Iterable[str]) -> None:
        self.failures = (dialect.loaded_dbapi.Error, *INTERRUPTIONS)
        binds = {compiled.bind_names[bind]: bind for bind in compiled.bind_names}
        self._constants = {name: bind.value for name, bind in binds.items() if not bind.required}
        for column in compiled.insert_prefetch:
            default: Any = column.default
            assert default.is_scalar, f"a value for {column.key}"
            self._constants[column.key] = default.arg
        self._parts = [
            (name, binds[name].type.dialect_impl(dialect).bind_processor(dialect)) for name in names
        ]
        self._read_columns(compiled, dialect)

    def _read_columns(self, compiled: SQLCompiler, dialect: Dialect) -> None:
        columns = compiled._result_columns  # noqa: SLF001 - the only list of their types
        self._row = _row_type([column.keyname for column in columns])
        converters = [
            column.type.dialect_impl(dialect).result_processor(dialect, None) for column in columns
        ]
        self._converted = [(place, convert) for place, convert in enumerate(converters) if convert]

    def parameters(self, values: Values) -> list[Any]:
        """Return the values in the order of the statement, converted for the driver.

        This is a loop, because a comprehension costs a function call.
        """
        parameters = []
        for name, convert in self._parts:
            value = values[name] if name in values else self._constants[name]
            parameters.append(convert(value) if convert else value)
        return parameters

    @abstractmethod
    def execute(self, connection: Connection, parameters: list[Any]) -> Any:
        """Execute the statement. Return the reply, for `rows` and `count`."""

    @abstractmethod
    def execute_each(self, connection: Connection, parameters: list[Any]) -> Any:
        """Execute the statement. Return a cursor, which reads one row at a time."""

    @abstractmethod
    def execute_many(self, connection: Connection, rows: list[list[Any]]) -> None: ...

    @abstractmethod
    def rows(self, connection: Connection, reply: Any) -> list[Any]:
        """Wait for a reply and return its rows. Their columns are attributes."""

    @abstractmethod
    def count(self, connection: Connection, reply: Any) -> int:
        """Return how many rows the statement has changed."""

    def fail(self, connection: Connection, error: BaseException) -> NoReturn:
        """Raise SQLAlchemy's error, or the exception that has interrupted the statement."""
        adopt(connection)
        text = getattr(error, "statement", self.text)
        connection._handle_dbapi_exception(error, text, None, None, None)  # noqa: SLF001

    def read(self, rows: list[Any]) -> list[Any]:
        if not self._converted:
            return list(map(self._row._make, rows))
        read = []
        for row in rows:
            values = list(row)
            for place, convert in self._converted:
                values[place] = convert(values[place])
            read.append(self._row._make(values))
        return read


class _SQLiteStatement(DriverStatement):
    """A statement for SQLite, which the driver's cursor executes."""

    def __init__(self, compiled: SQLCompiler, dialect: Dialect) -> None:
        self.text = compiled.string
        super().__init__(compiled, dialect, compiled.positiontup or ())

    def execute(self, connection: Connection, parameters: list[Any]) -> tuple[list[Any], int]:
        cursor = self.execute_each(connection, parameters)
        if not self._row._fields:
            return [], cursor.rowcount
        try:  # read all rows, or the statement and its savepoint stay open
            return cursor.fetchall(), cursor.rowcount
        except self.failures as error:
            self.fail(connection, error)

    def execute_each(self, connection: Connection, parameters: list[Any]) -> Any:
        cursor = driver_of(connection).cursor()
        if connection.engine.dispatch.before_cursor_execute:
            _announce(connection, cursor, self.text, parameters)
        try:
            return cursor.execute(self.text, parameters)
        except self.failures as error:
            self.fail(connection, error)

    def execute_many(self, connection: Connection, rows: list[list[Any]]) -> None:
        cursor = driver_of(connection).cursor()
        if connection.engine.dispatch.before_cursor_execute:
            _announce(connection, cursor, self.text, rows)
        try:
            cursor.executemany(self.text, rows)
        except self.failures as error:
            self.fail(connection, error)

    def rows(self, connection: Connection, reply: Any) -> list[Any]:
        return self.read(reply[0])

    def count(self, connection: Connection, reply: Any) -> int:
        return cast("int", reply[1])


class _PostgreSQLStatement(DriverStatement):
    """A statement for PostgreSQL, which `PipelinedConnection` sends together with others."""

    def __init__(self, compiled: SQLCompiler, dialect: Dialect) -> None:
        names = list(dict.fromkeys(PARAMETER.findall(compiled.string)))
        numbers = {name: f"${number}" for number, name in enumerate(names, 1)}
        numbered = PARAMETER.sub(lambda match: numbers[match[1]], compiled.string)
        self.text = numbered.replace("%%", "%")
        self._encoded = self.text.encode()
        super().__init__(compiled, dialect, names)
        self._refusals = self.failures
        self.failures = (BaseException,)  # any exception can be thrown into a greenlet that waits

    def fail(self, connection: Connection, error: BaseException) -> NoReturn:
        if isinstance(error, self._refusals):
            super().fail(connection, error)
        adopt(connection)
        driver: Any = connection.connection.dbapi_connection
        if driver.closed:  # a rollback would fail, and its error would be raised instead
            connection.invalidate(error)
        try:
            raise error
        finally:
            del error  # its traceback has this frame: the two would keep what all callers have read

    def execute(self, connection: Connection, parameters: list[Any]) -> Any:
        driver = driver_of(connection)
        if connection.engine.dispatch.before_cursor_execute:
            _announce(connection, None, self.text, parameters)
        try:
            return driver.post(self._encoded, parameters)
        except self.failures as error:
            self.fail(connection, error)

    def execute_each(self, connection: Connection, parameters: list[Any]) -> Any:
        return self.execute(connection, parameters)

    def execute_many(self, connection: Connection, rows: list[list[Any]]) -> None:
        driver = driver_of(connection)
        if connection.engine.dispatch.before_cursor_execute:
            _announce(connection, None, self.text, rows)
        try:
            for row in rows:
                driver.post(self._encoded, row)
        except self.failures as error:
            self.fail(connection, error)

    def rows(self, connection: Connection, reply: Any) -> list[Any]:
        try:
            rows = reply.fetchall()
        except self.failures as error:
            self.fail(connection, error)
        return self.read(rows)

    def count(self, connection: Connection, reply: Any) -> int:
        try:
            return cast("int", reply.rowcount)
        except self.failures as error:
            self.fail(connection, error)


def _announce(connection: Connection, cursor: Any, text: str, parameters: list[Any]) -> None:
    """Call the listeners of the engine's statements.

    A search for listeners of one connection would take as long as a statement.
    """
    for listener in connection.engine.dispatch.before_cursor_execute:
        listener(connection, cursor, text, parameters, None, False)


def compile_statement(statement: Executable, dialect: Dialect, values: Values) -> DriverStatement:
    compiled: Any = statement.compile(dialect=dialect, column_keys=list(values))  # type: ignore[attr-defined]
    assert isinstance(compiled, SQLCompiler)
    return (_SQLiteStatement if compiled.positional else _PostgreSQLStatement)(compiled, dialect)


def _row_type(names: list[str]) -> Any:
    return namedtuple("Row", names)  # noqa: PYI024 - their names come from the statement
