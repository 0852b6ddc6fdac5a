"""How the columns of a collection are stored: in its own table or as keys in the shared one.

Strings compare by their bytes on both databases, whatever their collation, and so does Python.
"""

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
    cast,
    func,
    literal,
    select,
)
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement

from service.extensions import timestamp
from service.records.collection import Collection, Column, Values
from service.records.models import Record

BUILT_IN = {
    "createdAt": Column("createdAt", "datetime", "created_at", required=True, fixed=True),
    "updatedAt": Column("updatedAt", "datetime", "updated_at", required=True, fixed=True),
}


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
    """An SQL function: the place of a text in another, counted from 1, or 0 if it is not there.

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
    value = Record.data[column.name]
    match column.type:
        case "number":
            return cast(value.as_float(), Double)  # as text, SQLite has only 15 digits
        case "integer":
            return cast(value.as_string(), BigInteger)
        case "boolean":
            return cast(value.as_boolean(), Boolean)
    return value.as_string()


def sort_key(collection: Collection, column: Column) -> ColumnElement[Any]:
    """Return the column as an SQL expression for comparing and sorting."""
    value = expression(collection, column)
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
    # SQLAlchemy compares a plain True or False for equality only.
    return literal(value) if isinstance(value, bool) else value


def values_of(collection: Collection, row: Any) -> Values:
    """Return the values of a row's columns for JSON, without columns that have none."""
    values = {name: _value(row, name, attribute) for name, attribute in collection.attributes}
    return {name: value for name, value in values.items() if value is not None}


def _value(row: Any, name: str, attribute: str | None) -> Any:
    value = getattr(row, attribute) if attribute else row.data.get(name)
    return timestamp(value) if isinstance(value, datetime) else value


def _is_stored_as_text(collection: Collection, column: Column) -> bool:
    """Whether the column is a time that is stored as text."""
    return column.type == "datetime" and collection.attribute_of(column) is None
