"""Field masks: an answer has only the fields that its request names in `fields`.

So a field that one of our requests forgets is missing here too.
Source: developers.google.com/workspace/drive/api/guides/fields-parameter.
"""

import re
from collections.abc import Mapping
from typing import Any

from service.sandbox.suite.routes import ApiError

Mask = dict[str, Any]  # by name, the mask of the value; an empty one takes everything


def apply_mask(answer: Mapping[str, Any], fields: str) -> dict[str, Any]:
    """Return the part of an answer that `fields` names, such as `next,files(id,owners/name)`.

    Raises `ApiError` for unbalanced parentheses.
    """
    chosen: dict[str, Any] = _chosen(answer, _mask(fields))
    return chosen


def _chosen(value: Any, mask: Mask) -> Any:
    if not mask or "*" in mask:
        return value
    if isinstance(value, list):
        return [_chosen(item, mask) for item in value]
    return {name: _chosen(value[name], inside) for name, inside in mask.items() if name in value}


def _mask(fields: str) -> Mask:
    whole: Mask = {}
    opened, here, last = [whole], whole, whole
    for token in re.findall(r"[\w*]+|[(),/]", fields):
        match token:
            case "(":
                opened.append(last)
                here = last
            case ")" if len(opened) > 1:
                opened.pop()
            case ")":
                raise _invalid(fields)
            case ",":
                here = opened[-1]
            case "/":
                here = last
            case name:
                last = here.setdefault(name, {})
    if len(opened) > 1:
        raise _invalid(fields)
    return whole


def _invalid(fields: str) -> ApiError:
    return ApiError(400, "invalidParameter", f"Invalid field selection {fields}")
