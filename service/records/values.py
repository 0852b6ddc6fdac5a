"""Validate the values that a client writes into a record."""

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from service.records.collection import Collection, Column, Values
from service.records.permissions import visible_columns
from service.records.versions import VERSION
from service.storable import STORABLE_RULE, is_storable
from service.web.errors import InvalidRequest
from service.web.json_values import encode, has_unsafe_keys, storable

PYTHON_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "number": (int, float),
    "integer": (int,),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
}


def validate(collection: Collection, role: str, data: Any, *, new: bool) -> Values:
    """Return the values of a create (`new`) or an update; None empties a column.

    Raises `InvalidRequest` with `details` of every invalid column.
    """
    if not isinstance(data, Mapping):
        raise InvalidRequest("The data must be an object.", details={})
    writable = {c.name: c for c in visible_columns(collection, role) if not c.fixed}
    writable.pop(collection.owner, None)
    faults = {name[:100]: [_refusal(collection, role, name)] for name in data.keys() - writable}
    values: Values = {}
    for name, column in writable.items():
        try:
            if name in data:
                values[name] = _validate_value(column, data[name])
            elif new and column.required:
                raise invalid(name, "Missing data for required field.")
        except InvalidRequest as error:
            faults.update(error.details)
    if faults:
        raise InvalidRequest(details=faults)
    return values


def _refusal(collection: Collection, role: str, name: str) -> str:
    exists = name in {column.name for column in visible_columns(collection, role)}
    return "This column is read-only." if exists else "Unknown field."


def _validate_value(column: Column, value: Any) -> Any:
    if value is None:
        if column.required:
            raise invalid(column.name, "Field may not be null.")
        return None
    value = check_type(column, value)
    if isinstance(value, str) and not column.least <= len(value) <= column.most:
        raise invalid(column.name, f"Must have {column.least} to {column.most} characters.")
    if wrong := _sentences(column, value):
        raise InvalidRequest(details={column.name: wrong})
    return value


def _sentences(column: Column, value: Any) -> list[str]:
    """Return the faults that the column's check finds. Raises TypeError if it returns no texts."""
    wrong = column.check(value) if column.check else None
    if wrong is None:
        return []
    if not isinstance(wrong, list | tuple) or not all(isinstance(text, str) for text in wrong):
        rule = f"must return what is wrong as a list of sentences, not {wrong!r:.80}"
        raise TypeError(f"the check of the column {column.name!r} {rule}")
    return list(wrong)


def check_type(column: Column, value: Any) -> Any:
    """Return a value of the column's type, with times parsed. Raises `InvalidRequest`.

    As in JSON Schema, `5.0` is an integer.
    """
    if column.type == "datetime":
        return _moment(column, value)
    if column.type == "integer" and isinstance(value, float) and value.is_integer():
        value = int(value)
    allowed = PYTHON_TYPES[column.type]
    if not isinstance(value, allowed) or (isinstance(value, bool) and bool not in allowed):
        raise invalid(column.name, f"Must be of type {column.type}.")
    match value:
        case str() if not is_storable(value):
            raise invalid(column.name, STORABLE_RULE)
        case int() if not -(2**63) <= value < 2**63:
            raise invalid(column.name, "Must be a 64-bit number.")
        case float() if not math.isfinite(value):
            raise invalid(column.name, "Must be a finite number.")
        case list() | dict():
            _check_nested(column, value)
    return value


def comparable(column: Column, value: Any) -> Any:
    """Return a value for a comparison: numbers are doubles, as in SQL."""
    value = check_type(column, value)
    return float(value) if column.type == "number" else value


def stored_value(column: Column, value: Any) -> Any:
    """Return a stored value as it compares in SQL: doubles for numbers, texts for times.

    Return None for a value of another type, which a record may have if the column's type was
    changed later.
    """
    match column.type:
        case "datetime":
            return value if isinstance(value, str) and VERSION.fullmatch(value) else None
        case "boolean":
            return value if isinstance(value, bool) else None
        case "number" if isinstance(value, int | float) and not isinstance(value, bool):
            return float(value)
        case "number":
            return None
    has_type = isinstance(value, PYTHON_TYPES[column.type]) and not isinstance(value, bool)
    return value if has_type else None


def _check_nested(column: Column, value: Any) -> None:
    """Check that both databases can store the JSON and every client can parse it."""
    try:
        encode(value)
        is_storable, is_unsafe = storable(value), has_unsafe_keys(value)
    except (ValueError, RecursionError):
        raise invalid(column.name, "Must be finite and not nested too deep.") from None
    if not is_storable:
        raise invalid(column.name, STORABLE_RULE)
    if is_unsafe:
        raise invalid(column.name, "Must not have `__proto__` or a constructor's prototype as key.")


def _moment(column: Column, value: Any) -> datetime:
    try:
        moment = datetime.fromisoformat(value)
        year = moment.astimezone(UTC).year
    except OverflowError:
        year = 0
    except (TypeError, ValueError):
        raise invalid(column.name, "Must be an ISO 8601 time.") from None
    if moment.tzinfo is None:
        raise invalid(column.name, "Must be a time with its offset, such as Z.")
    # strftime writes earlier years with fewer digits. At both ends, conversion to UTC overflows.
    if not 1000 < year < 9999:
        raise invalid(column.name, "Must be a time of the years 1001 to 9998, in UTC.")
    return moment


def invalid(name: str, text: str) -> InvalidRequest:
    """Return an error about one field."""
    return InvalidRequest(details={name: [text]})
