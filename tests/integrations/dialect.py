"""Whether a document is JSON Schema 2020-12, in the part of it that we use.

Source: json-schema.org/draft/2020-12/json-schema-validation. A keyword not listed here is reported.
"""

import re
from collections.abc import Iterator
from typing import Any

TYPES = {"null", "boolean", "object", "array", "number", "string", "integer"}
TEXTS = ("$schema", "$id", "$comment", "title", "description", "format", "contentEncoding")
NUMBERS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
COUNTS = ("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties")
SWITCHES = ("uniqueItems", "readOnly", "writeOnly", "deprecated")
SCHEMAS = ("items", "additionalProperties", "not", "propertyNames", "contains")
LISTS = ("oneOf", "anyOf", "allOf", "prefixItems")
MAPS = ("properties", "$defs", "patternProperties")


def violations(document: Any) -> list[str]:
    return list(_schema(document, document, "#"))


def _schema(schema: Any, document: Any, at: str) -> Iterator[str]:
    if isinstance(schema, bool):
        return
    if not isinstance(schema, dict):
        yield f"{at} is no schema"
        return
    for keyword, value in schema.items():
        yield from _keyword(keyword, value, document, f"{at}/{keyword}")


def _keyword(keyword: str, value: Any, document: Any, at: str) -> Iterator[str]:
    if keyword in SCHEMAS:
        yield from _schema(value, document, at)
    elif keyword in LISTS:
        for number, one in enumerate(value):
            yield from _schema(one, document, f"{at}/{number}")
    elif keyword in MAPS:
        for name, one in value.items():
            yield from _schema(one, document, f"{at}/{name}")
    elif not _fits(keyword, value, document):
        yield f"{at}: {value!r}"


def _fits(keyword: str, value: Any, document: Any) -> bool:
    if keyword in TEXTS:
        return isinstance(value, str)
    if keyword in NUMBERS:
        return isinstance(value, int | float) and not isinstance(value, bool)
    if keyword in COUNTS:
        return isinstance(value, int) and not isinstance(value, bool) and value >= 0
    if keyword in SWITCHES:
        return isinstance(value, bool)
    match keyword:
        case "type":
            return set([value] if isinstance(value, str) else value) <= TYPES
        case "required":
            return isinstance(value, list) and len(set(value)) == len(value)
        case "enum":
            return isinstance(value, list) and value != []
        case "pattern":
            return _compiles(value)
        case "$ref":
            return _leads(value, document)
    return keyword in ("default", "const", "examples")


def _compiles(pattern: str) -> bool:
    try:
        re.compile(pattern)
    except re.error:
        return False
    return True


def _leads(reference: str, document: Any) -> bool:
    here = document
    for step in reference.removeprefix("#").strip("/").split("/"):
        here = here.get(step) if isinstance(here, dict) else None
    return reference.startswith("#") and here is not None
