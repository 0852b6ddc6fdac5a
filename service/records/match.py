"""Match records against filters in memory, with the same results as in SQL.

A change is matched against the filters of all subscriptions to its collection. Therefore a worker
lets other greenlets run after it has searched many characters.
"""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from service.fairness import WorkBudget
from service.records.collection import Column
from service.records.envelope import Envelope
from service.records.values import stored_value
from service.records.where import Compare, Every, Some, Where
from service.times import timestamp

searched = WorkBudget(500_000)  # characters, about 1 ms: a search takes linear time

OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "eq": lambda value, operand: value == operand,
    "ne": lambda value, operand: value != operand,
    "lt": lambda value, operand: value is not None and value < operand,
    "lte": lambda value, operand: value is not None and value <= operand,
    "gt": lambda value, operand: value is not None and value > operand,
    "gte": lambda value, operand: value is not None and value >= operand,
    "in": lambda value, operand: value in operand,
    "contains": lambda value, operand: value is not None and _contains(value, operand),
    "startsWith": lambda value, operand: value is not None and value.startswith(operand),
}


def _contains(value: str, operand: str) -> bool:
    searched.spend(len(value))
    return operand in value


def matches(where: Where, record: Envelope) -> bool:
    match where:
        case Compare(column, operator, operand):
            return OPERATORS[operator](_value(record, column), _operand(operand))
        case Every(parts):
            return all(matches(part, record) for part in parts)
        case Some(parts):
            return any(matches(part, record) for part in parts)


def _value(record: Envelope, column: Column) -> Any:
    name = column.name
    return stored_value(column, record[name] if name in record else record["data"].get(name))


def _operand(operand: Any) -> Any:
    """Return an operand for comparisons. Times become texts, which sort as the times do."""
    match operand:
        case datetime():
            return timestamp(operand)
        case tuple():
            return tuple(map(_operand, operand))
    return operand
