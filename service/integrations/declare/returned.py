"""Compare the data that an app's function returns with the shape that its endpoint declares.

A vendor's answer is read by a `Shape`. The data of an app's function are passed on unchanged.
"""

from collections.abc import Callable, Iterator, Mapping
from types import NoneType
from typing import Any

import structlog

from service.integrations.declare.shape import Shape
from service.web.json_values import json_size

log = structlog.get_logger("integrations")

TYPES: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list, tuple),
    "object": (dict,),
    "null": (NoneType,),
}


def check(run: Callable[..., Any], gives: Shape, data: Any) -> None:
    """Log the first place that does not fit `gives`. Raises TypeError, ValueError for non-JSON."""
    json_size(data)
    for place in _misfits(data, gives.schema()):
        log.warning("wrong shape", of=place, at=f"{run.__module__}.{run.__qualname__}")
        return


def _misfits(value: Any, schema: Mapping[str, Any], place: str = "data") -> Iterator[str]:
    """Yield the places where a value does not fit the schema of a `Shape`."""
    if "anyOf" in schema:
        found = [list(_misfits(value, one, place)) for one in schema["anyOf"]]
        yield from [] if [] in found else found[0]
        return
    kinds = schema.get("type", list(TYPES))
    if not any(_is(value, kind) for kind in ([kinds] if isinstance(kinds, str) else kinds)):
        yield place
    elif isinstance(value, dict) and "properties" in schema:
        fields = schema["properties"]
        for name in {**fields, **value}:
            if name in fields and name in value:
                yield from _misfits(value[name], fields[name], f"{place}.{name}")
            else:
                yield f"{place}.{name}"
    elif "items" in schema:
        for at, item in enumerate(value or ()):
            yield from _misfits(item, schema["items"], f"{place}.{at}")


def _is(value: Any, kind: str) -> bool:
    return isinstance(value, TYPES[kind]) and (kind == "boolean" or not isinstance(value, bool))
