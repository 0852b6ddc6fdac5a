"""JSON Schema, as far as API descriptions use it: what is wrong with a value.

Stricter than it is: an object whose properties are listed has no others, and what is read-only is
not sent.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

Schema = Mapping[str, Any]
TYPES: dict[str, Any] = {
    "object": dict, "array": list, "string": str, "boolean": bool, "integer": int,
    "number": (int, float), "null": type(None),
}  # fmt: skip


def faults(schema: Schema, value: Any, document: Schema, at: str) -> list[str]:
    """What is wrong with a value."""
    schema = resolved(schema, document)
    if alternatives := schema.get("oneOf") or schema.get("anyOf"):
        tried = [faults(one, value, document, at) for one in alternatives]
        return [] if [] in tried else [f"{at}: fits no alternative"]
    named = schema.get("type", "any")
    kinds = [named] if isinstance(named, str) else list(named)
    if value is None and ("null" in kinds or schema.get("nullable")):
        return []
    if "any" not in kinds and not any(_is(value, kind) for kind in kinds):
        return [f"{at}: is no {named}"]
    return list(_limits(schema, value, document, at))


def _is(value: Any, kind: str) -> bool:
    return isinstance(value, TYPES[kind]) and (isinstance(value, bool) <= (kind == "boolean"))


def _limits(schema: Schema, value: Any, document: Schema, at: str) -> Iterator[str]:
    if "enum" in schema and value not in schema["enum"]:
        yield f"{at}: {value!r} is not one of {schema['enum']}"
    size = value if isinstance(value, int | float) else None
    for limits in (("minimum", "maximum"), ("minLength", "maxLength"), ("minItems", "maxItems")):
        kind = {"minLength": str, "minItems": list}.get(limits[0])
        measured = len(value) if kind and isinstance(value, kind) else None if kind else size
        low, high = (schema.get(name) for name in limits)
        if measured is not None and low is not None and measured < float(low):
            yield f"{at}: below {limits[0]}"
        if measured is not None and high is not None and measured > float(high):
            yield f"{at}: over {limits[1]}"
    if isinstance(value, str) and not re.search(schema.get("pattern", ""), value):
        yield f"{at}: does not fit {schema['pattern']}"
    if isinstance(value, str) and not _formatted(schema.get("format"), value):
        yield f"{at}: is no {schema['format']}"
    if isinstance(value, list):
        for number, item in enumerate(value):
            yield from faults(schema.get("items", {}), item, document, f"{at}[{number}]")
    if isinstance(value, dict):
        yield from _members(schema, value, document, at)


def _formatted(form: str | None, text: str) -> bool:
    moment = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)"
    forms = {"date-time": moment, "date": r"\d{4}-\d\d-\d\d", "int64": r"-?\d+", "int32": r"-?\d+"}
    return re.fullmatch(forms.get(form or "", ".*"), text, re.S) is not None


def _members(schema: Schema, value: dict[str, Any], document: Schema, at: str) -> Iterator[str]:
    properties = schema.get("properties", {})
    others = schema.get("additionalProperties", not properties)
    required = schema.get("required", [])
    for name in required if isinstance(required, list) else []:
        if name not in value:
            yield f"{at}.{name}: is missing"
    for name, item in value.items():
        if name in properties:
            declared = resolved(properties[name], document)
            if declared.get("readOnly"):
                yield f"{at}.{name}: is read-only"
            yield from faults(declared, item, document, f"{at}.{name}")
        elif others is False:
            yield f"{at}.{name}: is unknown"
        elif isinstance(others, dict):
            yield from faults(others, item, document, f"{at}.{name}")


def resolved(schema: Schema, document: Schema) -> Schema:
    """Without `$ref` and `allOf`; in discovery documents a reference is a schema's bare name."""
    while "$ref" in schema:
        reference = schema["$ref"]
        found: Any = document
        steps = reference[2:].split("/") if reference.startswith("#/") else ["schemas", reference]
        for step in steps:
            found = found[step.replace("~1", "/").replace("~0", "~")]
        schema = found
    for part in schema.get("allOf", ()):
        part = resolved(part, document)
        joined = {**part.get("properties", {}), **schema.get("properties", {})}
        needed = [*part.get("required", ()), *schema.get("required", ())]
        schema = {**part, **schema, "properties": joined, "required": needed}
    return schema
