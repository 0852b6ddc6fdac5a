"""How the columns of a collection are stored: in its own table or as keys in the shared one.

Strings compare by their bytes on both databases, whatever their collation, and so does Python.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    ColumnElement,
    Double,
    Integer,
    Select,
    String,
    Subquery,
    and_,
    case,
    cast,
    func,
    literal,
    literal_column,
    select,
)
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement

from service.records.collection import Collection, Column, Values
from service.records.models import Record
from service.times import timestamp

BUILT_IN = {
    "createdAt": Column("createdAt", "datetime", "created_at", required=True, fixed=True),
    "updatedAt": Column("updatedAt", "datetime", "updated_at", required=True, fixed=True),
}


# SQLite's and PostgreSQL's names for the types of JSON values.
JSON_TYPES = {
    "string": ("text", "string"),
    "number": ("integer", "real", "number"),
    "integer": ("integer", "number"),
    "boolean": ("true", "false", "boolean"),
    "datetime": ("text", "string"),
    "array": ("array",),
    "object": ("object",),
}
UNCOMPRESSED = 500  # characters: PostgreSQL compresses no row of up to 2,000 bytes
UNLIMITED = 1 << 30
DIGITS = "[0-9]"
TIMESTAMP = "-".join([DIGITS * 4, DIGITS * 2, DIGITS * 2 + "T" + ":".join([DIGITS * 2] * 3)])
TIMESTAMP += f"[.]{DIGITS * 6}Z"  # as `VERSION`, in a form for GLOB and for regular expressions


class JsonType(FunctionElement[str]):
    """An SQL function of JSON, a key and the key's path, which returns the type of its value."""

    inherit_cache = True
    type = String()


@compiles(JsonType, "sqlite")
def _json_type(element: JsonType, compiler: SQLCompiler, **kwargs: Any) -> str:
    data, _, path = (compiler.process(clause, **kwargs) for clause in element.clauses)
    return f"json_type({data}, {path})"


@compiles(JsonType, "postgresql")
def _json_typeof(element: JsonType, compiler: SQLCompiler, **kwargs: Any) -> str:
    data, key, _ = (compiler.process(clause, **kwargs) for clause in element.clauses)
    return f"json_typeof({data} -> {key})"


class TimestampText(FunctionElement[bool]):
    """An SQL function that returns whether a text has the form of stored times."""

    inherit_cache = True
    type = Boolean()


@compiles(TimestampText, "sqlite")
def _glob(element: TimestampText, compiler: SQLCompiler, **kwargs: Any) -> str:
    return f"({compiler.process(element.clauses, **kwargs)} GLOB '{TIMESTAMP}')"


@compiles(TimestampText, "postgresql")
def _regex(element: TimestampText, compiler: SQLCompiler, **kwargs: Any) -> str:
    return f"({compiler.process(element.clauses, **kwargs)} ~ '^{TIMESTAMP}$')"


class ByteOrder(FunctionElement[str]):
    """An SQL function that compares and sorts a text by its bytes."""

    inherit_cache = True
    type = String()


@compiles(ByteOrder)
def _compile_byte_order(element: ByteOrder, compiler: SQLCompiler, **kwargs: Any) -> str:
    return compiler.process(element.clauses, **kwargs)


@compiles(ByteOrder, "postgresql")
def _compile_byte_order_postgresql(element: ByteOrder, compiler: SQLCompiler, **kwargs: Any) -> str:
    return f'({compiler.process(element.clauses, **kwargs)} COLLATE "C")'


class TextPosition(FunctionElement[int]):
    """An SQL function that returns the place of a text in another, from 1, or 0 if it is absent.

    Case matters on both databases.
    """

    inherit_cache = True
    type = Integer()


@compiles(TextPosition, "sqlite")
def _instr(element: TextPosition, compiler: SQLCompiler, **kwargs: Any) -> str:
    return f"instr({compiler.process(element.clauses, **kwargs)})"


@compiles(TextPosition, "postgresql")
def _strpos(element: TextPosition, compiler: SQLCompiler, **kwargs: Any) -> str:
    return f"strpos({compiler.process(element.clauses, **kwargs)})"


def select_rows(collection: Collection) -> Select[Any]:
    """Return a statement that selects all rows of a collection."""
    if collection.model is Record:
        return select(Record).where(Record.collection == collection.name)
    return select(collection.model)


def find_column(collection: Collection, name: str) -> Column | None:
    """Return a column of the collection or one that every collection has, or None."""
    if name == "recordId":
        id = collection.record_id
        return Column("recordId", attribute=id, required=True, fixed=True, most=255)
    return collection.column(name) or BUILT_IN.get(name)


def expression(collection: Collection, column: Column) -> Any:
    """Return the column as an SQL expression."""
    attribute = collection.attribute_of(column)
    if attribute:
        return getattr(collection.model, attribute)
    return case((_has_type(column), _convert(column)))


def is_costly_to_read(collection: Collection, column: Column) -> bool:
    """Return whether the database parses JSON or decompresses a text to read the column."""
    attribute = collection.attribute_of(column)
    if attribute is None:
        return True
    kind = getattr(collection.model, attribute).type
    return isinstance(kind, String) and (kind.length or UNLIMITED) > UNCOMPRESSED


def select_values(collection: Collection, columns: Sequence[Column]) -> Subquery:
    """Return a subquery with these columns of a row that the enclosing statement selects.

    Its OFFSET keeps the database from putting the expressions back into the conditions. A text of
    the row itself is joined with an empty one, because only the result is decompressed.
    """
    values = []
    for number, column in enumerate(columns):
        value = expression(collection, column)
        value = value + "" if collection.attribute_of(column) else value
        values.append(value.label(f"value_{number}"))
    selected = select(*values).correlate(collection.model)
    return selected.offset(literal_column("0")).subquery("compared")


def _convert(column: Column) -> Any:
    value = Record.data[column.name]
    match column.type:
        case "number":
            return cast(value.as_float(), Double)  # as text, SQLite has only 15 digits
        case "integer":
            return cast(value.as_string(), BigInteger)
        case "boolean":
            return cast(value.as_boolean(), Boolean)
    return value.as_string()


def _has_type(column: Column) -> ColumnElement[bool]:
    """Return an SQL condition for a key's value to have the column's type, as `stored_value`."""
    path = literal(f'$."{column.name}"')
    has_type = JsonType(Record.data, literal(column.name), path).in_(JSON_TYPES[column.type])
    text = Record.data[column.name].as_string()
    match column.type:
        case "integer":
            return and_(has_type, text.not_like("%.%"), text.not_like("%e%"))
        case "datetime":
            return and_(has_type, TimestampText(text))
    return has_type


def sort_key(
    collection: Collection, column: Column, value: ColumnElement[Any] | None = None
) -> ColumnElement[Any]:
    """Return the column as an SQL expression for comparing and sorting.

    `value` is its value from `select_values`, if there is one.
    """
    value = expression(collection, column) if value is None else value
    is_text = column.type == "string" or _is_stored_as_text(collection, column)
    return ByteOrder(value) if is_text else value


def sort_key_of_prefix(
    collection: Collection, column: Column, characters: int
) -> ColumnElement[str]:
    """Return the first characters of a text column as an SQL expression for sorting."""
    return ByteOrder(func.substr(expression(collection, column), 1, characters))


def sql_value(collection: Collection, column: Column, value: Any) -> Any:
    """Convert a typed value for a comparison with `expression`."""
    if isinstance(value, datetime) and _is_stored_as_text(collection, column):
        return timestamp(value)
    if isinstance(value, bool):  # SQLAlchemy compares a plain True or False for equality only
        return literal(value)
    # A plain number takes the width of the table's column, and PostgreSQL refuses a larger number.
    return literal(value, BigInteger) if isinstance(value, int) else value


def values_of(collection: Collection, row: Any) -> Values:
    """Return the values of a row's columns for JSON, without empty columns."""
    values = {}
    for name, attribute in collection.attributes:
        value = getattr(row, attribute) if attribute else row.data.get(name)
        if value is not None:
            values[name] = timestamp(value) if isinstance(value, datetime) else value
    return values


def _is_stored_as_text(collection: Collection, column: Column) -> bool:
    """Return whether the column is a time that is stored as text."""
    return column.type == "datetime" and collection.attribute_of(column) is None
