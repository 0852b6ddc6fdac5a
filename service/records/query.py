"""Filter, sort and page records in SQL."""

import json
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, false, func, literal, or_, select, true

from service.records.collection import Collection, Column
from service.records.storage import (
    TextPosition,
    expression,
    is_costly_to_read,
    select_values,
    sort_key,
    sort_key_of_prefix,
    sql_value,
)
from service.records.values import check_type, comparable, invalid, stored_value
from service.records.where import (
    Compare,
    Every,
    Some,
    Where,
    comparable_column,
    comparisons,
    why_not_comparable,
)
from service.times import timestamp
from service.web.fields import decode_opaque, encode_opaque
from service.web.json_values import encode

Operation = Callable[[Any, Any], ColumnElement[bool]]
Known = Mapping[Column, ColumnElement[Any]]  # values that a subquery has read

EQUALITY: dict[str, Operation] = {
    "eq": lambda column, value: column == value if value is not None else column.is_(None),
    "ne": lambda column, value: (
        or_(column != value, column.is_(None)) if value is not None else column.is_not(None)
    ),
    "in": lambda column, value: column.in_(value) if value else false(),
    # LIKE starts a new comparison at every place; for 1,000 characters it is 40 times slower.
    "contains": lambda column, value: TextPosition(column, literal(value)) > 0,
    "startsWith": lambda column, value: func.substr(column, 1, len(value)) == value,
}
ORDER: dict[str, Operation] = {
    "lt": lambda column, value: column < value,
    "lte": lambda column, value: column <= value,
    "gt": lambda column, value: column > value,
    "gte": lambda column, value: column >= value,
}
SEQ = Column("cursor", "integer", "seq")
SORT_PREFIX = 255  # characters by which long texts are sorted; a cursor contains them
SORT_LIMIT = 101  # characters: the longest name of a column, with its prefix
CURSOR_LIMIT = 4000  # characters; the longest encoding of such a prefix takes 2,100
INVALID_CURSOR = "Not a valid cursor, or one of another query."


def condition(collection: Collection, where: Where) -> ColumnElement[bool]:
    """Return a filter as an SQL condition.

    A value that is compared more than once is read once, in a subquery, if each reading parses
    JSON or decompresses a text: PostgreSQL took a minute for 100 comparisons of 20,000 records, and
    takes a second. Other parts stay outside of the subquery, which uses no index.
    """
    counts = Counter(one.column for one in comparisons(where))
    repeated = [one for one in counts if counts[one] > 1 and is_costly_to_read(collection, one)]
    if not repeated:
        return _condition(collection, where, {})
    inside, outside = _split(where, set(repeated))
    values = select_values(collection, repeated)
    read = dict(zip(repeated, values.c, strict=True))
    compared = select(_condition(collection, inside, read)).select_from(values)
    return and_(_condition(collection, outside, {}), compared.scalar_subquery())


def _split(where: Where, columns: set[Column]) -> tuple[Every, Every]:
    """Split a filter into the parts that must hold and compare one of the columns, and the rest."""
    inside: list[Where] = []
    outside: list[Where] = []
    for part in where.parts if isinstance(where, Every) else (where,):
        is_inside = any(one.column in columns for one in comparisons(part))
        (inside if is_inside else outside).append(part)
    return Every(tuple(inside)), Every(tuple(outside))


def _condition(collection: Collection, where: Where, read: Known) -> ColumnElement[bool]:
    match where:
        case Compare(column, operator, value):
            operand, known = _operand(collection, column, value), read.get(column)
            if operator in ORDER:
                return ORDER[operator](sort_key(collection, column, known), operand)
            known = expression(collection, column) if known is None else known
            return EQUALITY[operator](known, operand)
        case Every(parts):
            return and_(true(), *(_condition(collection, part, read) for part in parts))
        case Some(parts):
            return or_(false(), *(_condition(collection, part, read) for part in parts))


def _operand(collection: Collection, column: Column, value: Any) -> Any:
    if isinstance(value, tuple):
        return [sql_value(collection, column, item) for item in value]
    return sql_value(collection, column, value)


@dataclass(frozen=True)
class Sorting:
    """An order by a column and then by insertion, which makes it total.

    Records without a value come last in either direction. Long texts are sorted by their first
    characters. `param` is the column's name, with the prefix `-` for descending order.
    """

    collection: Collection
    column: Column | None
    param: str | None

    @property
    def descending(self) -> bool:
        return self.param is not None and self.param.startswith("-")

    def apply(self, statement: Select[Any], cursor: str | None) -> Select[Any]:
        """Return the statement in this order, after the cursor. Raises `InvalidRequest`."""
        if cursor:
            statement = statement.where(self._after(cursor))
        seq = self._direction(self.collection.model.seq)
        if self.column is None:
            return statement.order_by(seq)
        key = self._key(self.column)
        absent = [key.is_(None)] if self._may_be_absent(self.column) else []
        return statement.order_by(*absent, self._direction(key), seq)

    def cursor(self, row: Any) -> str:
        """Return the cursor of the page after a row."""
        value = self._value(row) if self.column else None
        return encode_cursor([self.param, value, row.seq])

    def _value(self, row: Any) -> Any:
        assert self.column
        attribute = self.collection.attribute_of(self.column)
        if attribute:
            value = getattr(row, attribute)
        else:
            value = stored_value(self.column, row.data.get(self.column.name))
        if value is not None and _is_long(self.column):
            return value[:SORT_PREFIX]
        return timestamp(value) if isinstance(value, datetime) else value

    def _key(self, column: Column) -> ColumnElement[Any]:
        if _is_long(column):
            return sort_key_of_prefix(self.collection, column, SORT_PREFIX)
        return sort_key(self.collection, column)

    def _after(self, cursor: str) -> ColumnElement[bool]:
        values = decode_cursor(cursor)
        if len(values) != 3 or values[0] != self.param:
            raise invalid("cursor", INVALID_CURSOR)
        _, value, seq = values
        later_seq = self._beyond(self.collection.model.seq, check_type(SEQ, seq))
        if self.column is None:
            return later_seq
        key = self._key(self.column)
        if value is None:
            return and_(key.is_(None), later_seq)
        last = sql_value(self.collection, self.column, comparable(self.column, value))
        later = or_(self._beyond(key, last), and_(key == last, later_seq))
        return or_(later, key.is_(None)) if self._may_be_absent(self.column) else later

    def _may_be_absent(self, column: Column) -> bool:
        """Return whether records may have no value, as those from before it was required."""
        return not column.required or self.collection.attribute_of(column) is None

    def _direction(self, key: ColumnElement[Any]) -> ColumnElement[Any]:
        return key.desc() if self.descending else key.asc()

    def _beyond(self, key: ColumnElement[Any], value: Any) -> ColumnElement[bool]:
        beyond: ColumnElement[bool] = key < value if self.descending else key > value
        return beyond


def _is_long(column: Column) -> bool:
    return column.type == "string" and column.most > SORT_PREFIX


def sorting(collection: Collection, role: str, param: str | None) -> Sorting:
    """Return the order for a parameter. Raises `InvalidRequest` if the role can't sort by it."""
    name = param.removeprefix("-") if param else ""
    column = comparable_column(collection, role, name) if param else None
    if param and column is None:
        why = why_not_comparable(collection, role, name, f"sort by: {param[:100]}")
        raise invalid("sort", why)
    return Sorting(collection, column, param)


def encode_cursor(values: list[Any]) -> str:
    return encode_opaque(encode(values))


def decode_cursor(cursor: str) -> list[Any]:
    """Return the values in a cursor. Raises `InvalidRequest`."""
    try:
        values = json.loads(decode_opaque(cursor))
    except (ValueError, RecursionError):
        values = None
    if not isinstance(values, list):
        raise invalid("cursor", INVALID_CURSOR)
    return values
