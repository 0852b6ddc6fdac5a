"""Whether a record passes a filter, decided as the database would, but without it.

A change is held against every filter that is subscribed to its collection, so a worker lets others
run once it has looked through many characters, over all filters.
"""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from service.lifecycle import Share
from service.records.envelope import Envelope
from service.records.where import Compare, Every, Some, Where

# Characters, about a millisecond: Python's search takes linear time.
looked_through = Share(500_000)

OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "eq": lambda value, asked: value == asked,
    "ne": lambda value, asked: value != asked,
    "lt": lambda value, asked: value is not None and value < asked,
    "lte": lambda value, asked: value is not None and value <= asked,
    "gt": lambda value, asked: value is not None and value > asked,
    "gte": lambda value, asked: value is not None and value >= asked,
    "in": lambda value, asked: value in asked,
    "contains": lambda value, asked: value is not None and _contains(value, asked),
    "startsWith": lambda value, asked: value is not None and value.startswith(asked),
}


def _contains(value: str, asked: str) -> bool:
    looked_through.spend(len(value))
    return asked in value


def matches(where: Where, record: Envelope) -> bool:
    match where:
        case Compare(column, operator, asked):
            return OPERATORS[operator](_value(record, column.name, column.type), asked)
        case Every(parts):
            return all(matches(part, record) for part in parts)
        case Some(parts):
            return any(matches(part, record) for part in parts)


def _value(record: Envelope, name: str, type: str) -> Any:
    value = record[name] if name in record else record["data"].get(name)
    match type:
        case "datetime" if value is not None:
            return datetime.fromisoformat(value)
        case "number" if value is not None:
            return float(value)
    return value
