"""Where a column's value is: in a table of its own, or under a key of the shared one.

Strings compare by their bytes on both databases, whatever their collation, and as Python does.
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
    """A text that is compared and sorted by its bytes."""

    inherit_cache = True
    type = String()


@compiles(ByteOrder)
def _as_it_is(element: ByteOrder, compiler: SQLCompiler, **kwargs: Any) -> str:
    return compiler.process(element.clauses, **kwargs)


@compiles(ByteOrder, "postgresql")
def _collated(element: ByteOrder, compiler: SQLCompiler, **kwargs: Any) -> str:
    return f'({compiler.process(element.clauses, **kwargs)} COLLATE "C")'


class Position(FunctionElement[int]):
    """Where a text begins within another, counted from 1; 0 when it is not there.

    Upper and lower case differ, on both databases.
    """

    inherit_cache = True
    type = Integer()


@compiles(Position, "sqlite")
def _instr(element: Position, compiler: SQLCompiler, **kwargs: Any) -> str:
    return f"instr({compiler.process(element.clauses, **kwargs)})"


@compiles(Position, "postgresql")
def _strpos(element: Position, compiler: SQLCompiler, **kwargs: Any) -> str:
    return f"strpos({compiler.process(element.clauses, **kwargs)})"


def rows_of(collection: Collection) -> Select[Any]:
    """All rows of a collection."""
    if collection.model is Record:
        return select(Record).where(Record.collection == collection.name)
    return select(collection.model)


def column_named(collection: Collection, name: str) -> Column | None:
    """A column of the collection, or one that every collection has."""
    if name == "recordId":
        id = collection.record_id
        return Column("recordId", attribute=id, required=True, fixed=True, most=255)
    return collection.column(name) or BUILT_IN.get(name)


def expression(collection: Collection, column: Column) -> Any:
    """The column in SQL."""
    attribute = attribute_of(collection, column)
    if attribute:
        return getattr(collection.model, attribute)
    value = Record.data[column.name]
    match column.type:
        case "number":
            return cast(value.as_float(), Double)  # SQLite's text of it has but 15 digits
        case "integer":
            return cast(value.as_string(), BigInteger)
        case "boolean":
            return cast(value.as_boolean(), Boolean)
    return value.as_string()


def ordered(collection: Collection, column: Column) -> ColumnElement[Any]:
    """The column in SQL, for comparing and sorting."""
    found = expression(collection, column)
    texts = column.type == "string" or _as_text(collection, column)
    return ByteOrder(found) if texts else found


def ordered_by_beginning(
    collection: Collection, column: Column, characters: int
) -> ColumnElement[str]:
    """A text's first characters in SQL, for sorting."""
    return ByteOrder(func.substr(expression(collection, column), 1, characters))


def bound(collection: Collection, column: Column, value: Any) -> Any:
    """A typed value as it compares with `expression`."""
    if isinstance(value, datetime) and _as_text(collection, column):
        return timestamp(value)
    # SQLAlchemy compares a bare True or False for equality only.
    return literal(value) if isinstance(value, bool) else value


def attribute_of(collection: Collection, column: Column) -> str | None:
    """The model's attribute, None for a key of the shared table."""
    if column.attribute:
        return column.attribute
    return collection.owner_attribute if column.name == collection.owner else None


def values_of(collection: Collection, row: Any) -> Values:
    """Every column's value of a row as JSON has it; what has no value is left out."""
    values = {column.name: _value(collection, column, row) for column in collection.columns}
    return {name: value for name, value in values.items() if value is not None}


def _value(collection: Collection, column: Column, row: Any) -> Any:
    attribute = attribute_of(collection, column)
    value = getattr(row, attribute) if attribute else row.data.get(column.name)
    return timestamp(value) if isinstance(value, datetime) else value


def _as_text(collection: Collection, column: Column) -> bool:
    """Whether a time is kept as its text."""
    return column.type == "datetime" and attribute_of(collection, column) is None
