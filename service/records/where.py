"""Parse the filters of clients into a tree, which is evaluated in SQL and in the live feed.

`where` is `{"column": value}` or `{"column": {"gt": 5}}`. All its conditions must hold;
`{"or": […]}` lists alternatives. Source: docs/contract.md, section 7.4.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from service.records.collection import Collection, Column
from service.records.permissions import is_readable
from service.records.storage import find_column
from service.records.values import comparable, invalid
from service.web.errors import InvalidRequest

DEPTH = 4
LIST_LIMIT = 200
COMPARISONS = 100  # in one filter
SEARCHES = 20  # comparisons with `contains` in one filter

OPERATORS = ("eq", "ne", "lt", "lte", "gt", "gte", "in", "contains", "startsWith")
TEXT_ONLY = ("contains", "startsWith")
ENVELOPE = ("recordId", "createdAt", "updatedAt")  # columns of every collection
COMPOSED = ("array", "object")  # types that have no order
# The sum of the characters of all operands in one filter. In the worst case, PostgreSQL's search
# takes the product of both lengths: 1,000 characters in 100,000 take 60 ms, and emoji 170 ms.
OPERANDS_LIMIT = 1_000
# The sum of the values of all `in` in one filter. PostgreSQL compares each record with all of them,
# and the worker needs 5 ms to write them into a statement.
VALUES_LIMIT = 1_000


@dataclass(frozen=True)
class Compare:
    """A comparison of a column with a value.

    `value` has the column's type; for `in` it is a tuple, and for `eq` and `ne` it may be None.
    """

    column: Column
    operator: str
    value: Any


@dataclass(frozen=True)
class Every:
    """A condition of which all parts must hold."""

    parts: tuple["Where", ...]


@dataclass(frozen=True)
class Some:
    """A condition of which at least one part must hold."""

    parts: tuple["Where", ...]


Where = Compare | Every | Some


def parse(collection: Collection, role: str, where_json: Any) -> Where:
    """Parse a filter with the columns that a role may read.

    Raises `InvalidRequest` with `details`.
    """
    where = _parse(collection, role, where_json, DEPTH)
    found = list(comparisons(where))
    if len(found) > COMPARISONS:
        raise invalid("where", f"At most {COMPARISONS} comparisons are allowed.")
    if searches(where) > SEARCHES:
        raise invalid("where", f"At most {SEARCHES} `contains` are allowed.")
    if sum(len(c.value) for c in found if c.operator in TEXT_ONLY) > OPERANDS_LIMIT:
        text = f"`contains` and `startsWith` take at most {OPERANDS_LIMIT} characters together."
        raise invalid("where", text)
    if sum(len(c.value) for c in found if c.operator == "in") > VALUES_LIMIT:
        raise invalid("where", f"`in` takes at most {VALUES_LIMIT} values in all.")
    return where


def searches(where: Where) -> int:
    """Return how many searches through a whole text a filter has."""
    return sum(1 for comparison in comparisons(where) if comparison.operator == "contains")


def comparable_column(collection: Collection, role: str, name: str) -> Column | None:
    """Return a column that a role can filter and sort by, or None."""
    column = find_column(collection, name)
    if column is None or column.type in COMPOSED or not is_readable(column, role):
        return None
    return column


def why_not_comparable(collection: Collection, role: str, name: str, use: str) -> str:
    """Return why a column can't be used. A hidden column is reported as a missing one."""
    column = find_column(collection, name)
    if column is not None and is_readable(column, role):
        return f"A column of the type {column.type} can't be used to {use}."
    names = [*(column.name for column in collection.columns), *ENVELOPE]
    known = [one for one in names if comparable_column(collection, role, one)]
    return f"No such column to {use}. Known: {', '.join(known)}."


def _parse(collection: Collection, role: str, conditions: Any, depth: int) -> Every:
    if not isinstance(conditions, Mapping) or depth == 0:
        raise invalid("where", "Must be an object with at most four levels.")
    parts: list[Where] = []
    for name, value in conditions.items():
        if name == "or":
            parts.append(_parse_alternatives(collection, role, value, depth - 1))
        else:
            parts += _parse_column(collection, role, name, value)
    return Every(tuple(parts))


def _parse_alternatives(collection: Collection, role: str, items: Any, depth: int) -> Some:
    if not isinstance(items, list) or not 0 < len(items) <= LIST_LIMIT:
        raise invalid("where", "`or` takes a list of 1 to 200 alternatives.")
    return Some(tuple(_parse(collection, role, item, depth) for item in items))


def _parse_column(collection: Collection, role: str, name: str, condition: Any) -> list[Compare]:
    """Parse the condition of a column. Its errors are about the field `where.<name>`."""
    column = comparable_column(collection, role, name)
    if column is None:
        why = why_not_comparable(collection, role, name, "filter by")
        raise invalid(f"where.{name[:100]}", why)
    operations = condition if isinstance(condition, Mapping) else {"eq": condition}
    if not operations:  # or a client whose value is missing would get every record
        reason = f"Needs an operator. Known: {', '.join(_operators(column))}."
        raise invalid(f"where.{name}", reason)
    try:
        return [_compare(column, operator, value) for operator, value in operations.items()]
    except InvalidRequest as error:
        [reasons] = error.details.values()
        raise InvalidRequest(details={f"where.{name}": reasons}) from None


def _compare(column: Column, operator: str, value: Any) -> Compare:
    if operator not in (known := _operators(column)):
        reason = f"No such operator for this column: {operator[:40]}. Known: {', '.join(known)}."
        raise invalid(column.name, reason)
    return Compare(column, operator, _operand(column, operator, value))


def _operators(column: Column) -> list[str]:
    return [one for one in OPERATORS if column.type == "string" or one not in TEXT_ONLY]


def _operand(column: Column, operator: str, value: Any) -> Any:
    if operator == "in":
        if not isinstance(value, list) or len(value) > LIST_LIMIT:
            raise invalid(column.name, "`in` takes a list of at most 200 values.")
        return tuple(comparable(column, item) for item in value)
    if value is None and operator in ("eq", "ne"):
        return None
    return comparable(column, value)


def comparisons(where: Where) -> Iterator[Compare]:
    """Yield all comparisons of a filter."""
    match where:
        case Compare():
            yield where
        case Every(parts) | Some(parts):
            for part in parts:
                yield from comparisons(part)
