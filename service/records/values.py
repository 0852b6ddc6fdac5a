"""What a client may write into a record: each column's value, checked against its declaration."""

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from service.errors import InvalidRequest
from service.fields import unstorable
from service.json_values import encode, poisoned, storable
from service.records.collection import Collection, Column, Values
from service.records.permissions import visible

PYTHON_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "number": (int, float),
    "integer": (int,),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
}


def accepted(collection: Collection, role: str, given: Any, *, new: bool) -> Values:
    """The values of a create (`new`) or an update, None for a column that is to be emptied.

    Raises `InvalidRequest` with `details` of every column at fault.
    """
    if not isinstance(given, Mapping):
        raise InvalidRequest("The data must be an object.", details={})
    writable = {c.name: c for c in visible(collection, role) if not c.fixed}
    writable.pop(collection.owner, None)
    faults = {name[:100]: [_unknown(collection, role, name)] for name in given.keys() - writable}
    values: Values = {}
    for name, column in writable.items():
        try:
            if name in given:
                values[name] = _accepted(column, given[name])
            elif new and column.required:
                raise invalid(name, "Missing data for required field.")
        except InvalidRequest as error:
            faults.update(error.facts["details"])  # type: ignore[call-overload]
    if faults:
        raise InvalidRequest(details=faults)
    return values


def _unknown(collection: Collection, role: str, name: str) -> str:
    known = name in {column.name for column in visible(collection, role)}
    return "This column is not yours to write." if known else "Unknown field."


def _accepted(column: Column, value: Any) -> Any:
    if value is None:
        if column.required:
            raise invalid(column.name, "Field may not be null.")
        return None
    value = typed(column, value)
    if isinstance(value, str) and not column.least <= len(value) <= column.most:
        raise invalid(column.name, f"Must have {column.least} to {column.most} characters.")
    return value


def typed(column: Column, value: Any) -> Any:
    """A value of the column's type; raises `InvalidRequest`."""
    if column.type == "datetime":
        return _moment(column, value)
    allowed = PYTHON_TYPES[column.type]
    if not isinstance(value, allowed) or (isinstance(value, bool) and bool not in allowed):
        raise invalid(column.name, f"Must be of type {column.type}.")
    match value:
        case str() if unstorable(value):
            raise invalid(column.name, "Must not contain NUL or unpaired surrogates.")
        case int() if not -(2**63) <= value < 2**63:
            raise invalid(column.name, "Must be a 64-bit number.")
        case float() if not math.isfinite(value):
            raise invalid(column.name, "Must be a finite number.")
        case list() | dict():
            _check_nested(column, value)
    return value


def comparable(column: Column, value: Any) -> Any:
    """A value of the column's type as it is compared: numbers are doubles, as in SQL."""
    found = typed(column, value)
    return float(found) if column.type == "number" else found


def _check_nested(column: Column, value: Any) -> None:
    """JSON that both databases store and every client parses."""
    try:
        encode(value)
        whole, poison = storable(value), poisoned(value)
    except (ValueError, RecursionError):
        raise invalid(column.name, "Must be finite and not nested too deep.") from None
    if not whole:
        raise invalid(column.name, "Must not contain NUL or unpaired surrogates.")
    if poison:
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
    # strftime writes earlier years with fewer digits; at both ends UTC has no such time.
    if not 1000 < year < 9999:
        raise invalid(column.name, "Must be a time of the years 1001 to 9998, in UTC.")
    return moment


def invalid(name: str, text: str) -> InvalidRequest:
    return InvalidRequest(details={name: [text]})
