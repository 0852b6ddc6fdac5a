"""Whether a record passes a filter, decided as the database would, but without it."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from service.records.envelope import Envelope
from service.records.where import Compare, Every, Some, Where

OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "eq": lambda value, asked: value == asked,
    "ne": lambda value, asked: value != asked,
    "lt": lambda value, asked: value is not None and value < asked,
    "lte": lambda value, asked: value is not None and value <= asked,
    "gt": lambda value, asked: value is not None and value > asked,
    "gte": lambda value, asked: value is not None and value >= asked,
    "in": lambda value, asked: value in asked,
    "contains": lambda value, asked: value is not None and asked in value,
    "startsWith": lambda value, asked: value is not None and value.startswith(asked),
}


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
