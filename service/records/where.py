"""Filters as clients write them, read into a tree that SQL and the live feed both follow.

`where` is `{"column": value}` or `{"column": {"gt": 5}}`; all of it must hold, `{"or": […]}` lists
alternatives. Source: contract section 7.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from service.records.collection import Collection, Column
from service.records.permissions import readable
from service.records.storage import column_named
from service.records.values import comparable, invalid

DEPTH = 4
LIST_LIMIT = 200
COMPARISONS = 100  # in one filter
SEARCHES = 20  # of these

OPERATORS = ("eq", "ne", "lt", "lte", "gt", "gte", "in", "contains", "startsWith")
TEXT_ONLY = ("contains", "startsWith")
# Characters to look for in one filter, in all. PostgreSQL's search takes the product of both
# lengths at worst: 1,000 characters in a text of 100,000 take 60 ms, and emoji 170 ms.
SOUGHT_LIMIT = 1_000


@dataclass(frozen=True)
class Compare:
    """`value` has the column's type; a list of such for `in`; None only for `eq` and `ne`."""

    column: Column
    operator: str
    value: Any


@dataclass(frozen=True)
class Every:
    parts: tuple["Where", ...]


@dataclass(frozen=True)
class Some:
    parts: tuple["Where", ...]


Where = Compare | Every | Some


def parse(collection: Collection, role: str, given: Any) -> Where:
    """The filter, as a role may ask it. Raises `InvalidRequest` with `details`."""
    where = _parse(collection, role, given, DEPTH)
    comparisons = list(_comparisons(where))
    if len(comparisons) > COMPARISONS:
        raise invalid("where", f"At most {COMPARISONS} comparisons are taken.")
    if searches(where) > SEARCHES:
        raise invalid("where", f"At most {SEARCHES} `contains` are taken.")
    if sum(len(c.value) for c in comparisons if c.operator in TEXT_ONLY) > SOUGHT_LIMIT:
        text = f"`contains` and `startsWith` take at most {SOUGHT_LIMIT} characters in all."
        raise invalid("where", text)
    return where


def searches(where: Where) -> int:
    """How often a filter looks through a whole text."""
    return sum(1 for comparison in _comparisons(where) if comparison.operator == "contains")


def known_column(collection: Collection, role: str, name: str) -> Column:
    """A column that a role can filter and sort by; raises `InvalidRequest`."""
    column = column_named(collection, name)
    if column is None or column.type in ("array", "object") or not readable(column, role):
        raise invalid(name[:100], "No such column to filter or sort by.")
    return column


def _parse(collection: Collection, role: str, given: Any, depth: int) -> Every:
    if not isinstance(given, Mapping) or depth == 0:
        raise invalid("where", "Must be an object, nested at most four deep.")
    parts: list[Where] = []
    for name, asked in given.items():
        if name == "or":
            parts.append(_alternatives(collection, role, asked, depth - 1))
        else:
            parts += _compared(known_column(collection, role, name), asked)
    return Every(tuple(parts))


def _alternatives(collection: Collection, role: str, asked: Any, depth: int) -> Some:
    if not isinstance(asked, list) or not 0 < len(asked) <= LIST_LIMIT:
        raise invalid("where", "`or` takes a list of 1 to 200 alternatives.")
    return Some(tuple(_parse(collection, role, item, depth) for item in asked))


def _compared(column: Column, asked: Any) -> Iterator[Compare]:
    operations = asked if isinstance(asked, Mapping) else {"eq": asked}
    for operator, value in operations.items():
        if operator not in OPERATORS or (operator in TEXT_ONLY and column.type != "string"):
            raise invalid(column.name, f"No such operator for this column: {operator[:40]}")
        yield Compare(column, operator, _operand(column, operator, value))


def _operand(column: Column, operator: str, value: Any) -> Any:
    if operator == "in":
        if not isinstance(value, list) or len(value) > LIST_LIMIT:
            raise invalid(column.name, "`in` takes a list of at most 200 values.")
        return [comparable(column, item) for item in value]
    if value is None and operator in ("eq", "ne"):
        return None
    return comparable(column, value)


def _comparisons(where: Where) -> Iterator[Compare]:
    match where:
        case Compare():
            yield where
        case Every(parts) | Some(parts):
            for part in parts:
                yield from _comparisons(part)
