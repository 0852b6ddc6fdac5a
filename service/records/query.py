"""Filters, sorting and cursors: what a client may ask, as SQL conditions.

`where` is `{"column": value}` or `{"column": {"gt": 5}}`; all of it must hold, `{"or": […]}` lists
alternatives. Source: contract section 7.
"""

import base64
import json
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, and_, false, or_, true

from service.edge import unstorable
from service.errors import InvalidRequest
from service.records.collection import Collection, Column

DEPTH = 4
LIST_LIMIT = 200

OPERATORS: dict[str, Callable[[Any, Any], ColumnElement[bool]]] = {
    "eq": lambda column, value: column == value if value is not None else column.is_(None),
    "ne": lambda column, value: (
        or_(column != value, column.is_(None)) if value is not None else column.is_not(None)
    ),
    "lt": lambda column, value: column < value,
    "lte": lambda column, value: column <= value,
    "gt": lambda column, value: column > value,
    "gte": lambda column, value: column >= value,
    "in": lambda column, value: column.in_(value) if value else false(),
    "contains": lambda column, value: column.contains(value, autoescape=True),
    "startsWith": lambda column, value: column.startswith(value, autoescape=True),
}
TEXT_ONLY = ("contains", "startsWith")

PYTHON_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "number": (int, float),
    "integer": (int,),
    "boolean": (bool,),
}


def condition(collection: Collection, where: Any, depth: int = DEPTH) -> ColumnElement[bool]:
    """The SQL condition for `where`. Raises `InvalidRequest` with `details`."""
    if not isinstance(where, Mapping) or depth == 0:
        raise invalid("where", "Must be an object, nested at most four deep.")
    parts = []
    for name, asked in where.items():
        if name == "or":
            if not isinstance(asked, list) or not asked or len(asked) > LIST_LIMIT:
                raise invalid("where", "`or` takes a list of 1 to 200 alternatives.")
            parts.append(or_(*(condition(collection, item, depth - 1) for item in asked)))
        else:
            parts.append(_compare(collection, name, asked))
    return and_(true(), *parts)


def _compare(collection: Collection, name: str, asked: Any) -> ColumnElement[bool]:
    column = known_column(collection, name)
    attribute = getattr(collection.model, column.attribute)
    operations = asked if isinstance(asked, Mapping) else {"eq": asked}
    parts = []
    for operator, value in operations.items():
        if operator not in OPERATORS or (operator in TEXT_ONLY and column.type != "string"):
            raise invalid(name, f"No such operator for this column: {operator[:40]}")
        parts.append(OPERATORS[operator](attribute, _operand(column, operator, value)))
    return and_(true(), *parts)


def known_column(collection: Collection, name: str) -> Column:
    """A column that can be filtered and sorted by; raises `InvalidRequest`."""
    column = collection.column(name) or BUILT_IN.get(name)
    if column is None and name == "recordId":
        column = Column("recordId", collection.record_id)
    if column is None or column.type in ("array", "object"):
        raise invalid(name[:100], "No such column to filter or sort by.")
    return column


BUILT_IN = {
    "createdAt": Column("createdAt", "created_at", "datetime"),
    "updatedAt": Column("updatedAt", "updated_at", "datetime"),
}


def _operand(column: Column, operator: str, value: Any) -> Any:
    if operator == "in":
        if not isinstance(value, list) or len(value) > LIST_LIMIT:
            raise invalid(column.name, "`in` takes a list of at most 200 values.")
        return [typed(column, item) for item in value]
    if value is None and operator in ("eq", "ne"):
        return None
    return typed(column, value)


def typed(column: Column, value: Any) -> Any:
    """A value of the column's type; raises `InvalidRequest`."""
    if column.type == "datetime":
        return _moment(column, value)
    allowed = PYTHON_TYPES[column.type]
    if not isinstance(value, allowed) or (isinstance(value, bool) and bool not in allowed):
        raise invalid(column.name, f"Must be a {column.type}.")
    if isinstance(value, str) and unstorable(value):
        raise invalid(column.name, "Must not contain NUL or unpaired surrogates.")
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        raise invalid(column.name, "Must be a 64-bit number.")
    return value


def _moment(column: Column, value: Any) -> datetime:
    try:
        moment = datetime.fromisoformat(value)
    except (TypeError, ValueError):
        raise invalid(column.name, "Must be an ISO 8601 time.") from None
    if moment.tzinfo is None:
        raise invalid(column.name, "Must be a time with its offset, such as Z.")
    return moment


def invalid(name: str, text: str) -> InvalidRequest:
    return InvalidRequest(details={name: [text]})


def seal_cursor(values: list[Any]) -> str:
    return base64.urlsafe_b64encode(json.dumps(values).encode()).decode().rstrip("=")


def open_cursor(cursor: str, length: int) -> list[Any]:
    """The values sealed into a cursor of ours; raises `InvalidRequest`."""
    try:
        values = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    except (ValueError, RecursionError):
        values = None
    if not isinstance(values, list) or len(values) != length:
        raise invalid("cursor", "Not a cursor of ours, or one of another query.")
    return values
