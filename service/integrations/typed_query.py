"""The query of a GET, as the values that a body would have."""

from typing import Any

from marshmallow import fields

from service.integrations.declare.endpoint import Endpoint
from service.web.fields import read_number


def typed(endpoint: Endpoint, query: dict[str, list[str]]) -> dict[str, Any]:
    """Query texts as the JSON values that the schema wants; a list's name may be repeated."""
    known = endpoint.parameters.fields
    return {name: _value(known.get(name), texts) for name, texts in query.items()}


def _value(field: fields.Field | None, texts: list[str]) -> Any:
    text = texts[-1]
    match field:
        case fields.List(inner=inner):
            return [_value(inner, [one]) for one in texts]
        case fields.Boolean():
            return {"true": True, "false": False}.get(text, text)
        case fields.Integer() | fields.Float():
            number = read_number(text)
            return text if number is None else number
    return text
