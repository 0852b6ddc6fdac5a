"""Convert the query of a GET into the values that a body would have."""

from functools import lru_cache
from typing import Any

from marshmallow import fields

from service.integrations.declare.endpoint import Endpoint
from service.web.fields import JsonNumber, read_number
from service.web.repeated_names import refuse_repeated

WAIT_FIELD = JsonNumber()
# Clients in Python write `True`, those in PHP write `1`.
BOOLEANS = {"true": True, "True": True, "1": True, "false": False, "False": False, "0": False}


def parse_query(endpoint: Endpoint, query: dict[str, list[str]]) -> dict[str, Any]:
    """Return query texts as JSON values for the schema. Only a list's name may be repeated.

    Raises `InvalidRequest`.
    """
    known = dict(endpoint.parameters.fields)
    if endpoint.job:
        known["wait"] = WAIT_FIELD  # every slow endpoint takes it beside its own parameters
    refuse_repeated((name, texts) for name, texts in query.items() if not _is_list(known.get(name)))
    return {name: _value(known.get(name), texts) for name, texts in query.items()}


def _value(field: fields.Field[Any] | None, texts: list[str]) -> Any:
    text = texts[-1]
    kind: Any = type(field)  # mypy does not regard it as hashable
    match _kind(kind):
        case fields.List:
            return [_value(field.inner, [one]) for one in texts]  # type: ignore[union-attr]
        case fields.Boolean:
            return BOOLEANS.get(text, text)
        case fields.Integer:
            number = read_number(text)
            return number if isinstance(number, int) else text
        case fields.Float:
            number = read_number(text)
            return text if number is None else number
    return text


def _is_list(field: fields.Field[Any] | None) -> bool:
    kind: Any = type(field)
    return _kind(kind) is fields.List


@lru_cache(256)
def _kind(of: Any) -> type | None:
    """Return the class below to which a field's class belongs, or None if its text stays a text.

    The result is cached, because each `isinstance` of a field calls a function.
    """
    kinds: tuple[type, ...] = (fields.List, fields.Boolean, fields.Integer, fields.Float)
    return next((kind for kind in kinds if issubclass(of, kind)), None)
