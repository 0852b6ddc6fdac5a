"""Values that a parameter's published JSON Schema takes, and values that it refuses."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

Schema = Mapping[str, Any]
OF_OTHER_TYPES: Mapping[str, tuple[Any, ...]] = {
    "string": (5, True, [], {}, None),
    "integer": ("x", 1.5, [], {}, None),
    "number": ("x", [], {}, None),
    "boolean": ("maybe", 5, [], {}, None),
    "array": ("x", 5, {}, None),
    "object": ("x", 5, [], None),
}
ODD = ("", " ", "\n", "a\n", "ä", ",", "/", "a b", "0", "-", "x" * 5000)
FORMATS = {"date": "2026-13-01", "date-time": "yesterday", "uri": "x", "url": "x"}
LONGEST = 100_000  # characters and items that are tried
DEEPEST = 3


def accepted(schema: Schema, sample: Any) -> Iterator[Any]:
    """At the bounds; `sample` is a value of an example, or None."""
    kind = kind_of(schema)
    if "enum" in schema:
        yield from schema["enum"]
    elif kind == "boolean":
        yield from (True, False)
    elif kind in ("integer", "number"):
        yield from (schema[name] for name in ("minimum", "maximum") if name in schema)
    elif kind == "string" and not _is_particular(schema):
        lengths = (schema.get("minLength", 1), schema.get("maxLength", 1))
        yield from ("a" * length for length in lengths if length <= LONGEST)
    elif kind == "array":
        yield from _lists(schema, sample)
    if sample is not None:
        yield sample


def refused(schema: Schema, sample: Any, depth: int = 0) -> Iterator[Any]:
    """Of another type, just beyond the bounds, of no known form; within lists and objects too."""
    kind = kind_of(schema)
    yield from (one for one in OF_OTHER_TYPES.get(kind, ()) if one is not None or not _null(schema))
    if "enum" in schema:
        yield "no such choice" if kind == "string" else 10**9
    if kind in ("integer", "number"):
        yield from _numbers_beyond(schema)
    elif kind == "string":
        yield from _texts_beyond(schema)
    elif kind == "array" and depth < DEEPEST:
        yield from _lists_beyond(schema, sample, depth)
    elif kind == "object" and depth < DEEPEST:
        yield from _objects_beyond(schema, sample, depth)


def any_value(schema: Schema) -> Any:
    """A value that will do where no example has one."""
    return next(accepted(schema, None), {} if kind_of(schema) == "object" else "a")


def kind_of(schema: Schema) -> str:
    kinds = schema.get("type", "")
    return kinds if isinstance(kinds, str) else next(one for one in kinds if one != "null")


def _null(schema: Schema) -> bool:
    return "null" in schema.get("type", ()) and not isinstance(schema["type"], str)


def _is_particular(schema: Schema) -> bool:
    return any(name in schema for name in ("pattern", "format", "contentEncoding"))


def _lists(schema: Schema, sample: Any) -> Iterator[list[Any]]:
    item = sample[0] if sample else any_value(schema.get("items", {}))
    for name in ("minItems", "maxItems"):
        if schema.get(name, LONGEST) <= 1000:
            yield [item] * schema[name]


def _numbers_beyond(schema: Schema) -> Iterator[Any]:
    if "minimum" in schema:
        yield schema["minimum"] - 1
    if "maximum" in schema:
        yield schema["maximum"] + 1


def _texts_beyond(schema: Schema) -> Iterator[str]:
    if schema.get("minLength"):
        yield "a" * (schema["minLength"] - 1)
    if schema.get("maxLength", LONGEST) < LONGEST:
        yield "a" * (schema["maxLength"] + 1)
    if "pattern" in schema:
        yield from (text for text in ODD if not re.search(schema["pattern"], text))
    if schema.get("format") in FORMATS:
        yield FORMATS[schema["format"]]
    if "contentEncoding" in schema:
        yield "not base64!"


def _lists_beyond(schema: Schema, sample: Any, depth: int) -> Iterator[Any]:
    items = schema.get("items", {})
    item = sample[0] if sample else any_value(items)
    if schema.get("minItems"):
        yield [item] * (schema["minItems"] - 1)
    if schema.get("maxItems", LONGEST) < LONGEST:
        yield [item] * (schema["maxItems"] + 1)
    yield from ([value] for value in refused(items, item, depth + 1))


def _objects_beyond(schema: Schema, sample: Any, depth: int) -> Iterator[Any]:
    whole = dict(sample) if isinstance(sample, Mapping) else {}
    if schema.get("additionalProperties") is False:
        yield {**whole, "noSuchKey": 1}
    for name in schema.get("required", ()):
        yield {key: value for key, value in whole.items() if key != name}
    for name, inner in schema.get("properties", {}).items():
        for value in refused(inner, whole.get(name), depth + 1):
            yield {**whole, name: value}
