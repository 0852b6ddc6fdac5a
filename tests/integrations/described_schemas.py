"""Schemas of API descriptions as JSON Schema 2020-12, for the library that validates it.

OpenAPI, Swagger and Google's discovery documents each deviate from it in a few words. The result is
stricter than they are: an object whose properties are listed has no others, and what is read-only
is not sent.
"""

from collections.abc import Mapping
from typing import Any

from jsonschema_rs import Draft202012Validator

Schema = Mapping[str, Any]
KEPT = ("enum", "const", "pattern", "format", "uniqueItems", "required")
BOUNDS = (
    "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
    "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties",
)  # fmt: skip
INTEGERS = ("int64", "int32", "uint64", "uint32")  # as texts, in discovery documents


def validator(schema: Schema, document: Schema) -> Draft202012Validator:
    translation = Translation(document)
    whole = {"allOf": [translation.of(schema)], "$defs": translation.definitions}
    return Draft202012Validator(whole, validate_formats=True)


def faults(schema: Schema, value: Any, document: Schema, at: str) -> list[str]:
    """What is wrong with a value."""
    return [
        ".".join(map(str, (at, *error.instance_path))) + f": {error.message}"
        for error in validator(schema, document).iter_errors(value)
    ]


class Translation:
    """One document's schemas; those that are referred to are collected as `$defs`."""

    def __init__(self, document: Schema) -> None:
        self._document = document
        self.definitions: dict[str, Any] = {}

    def of(self, schema: Schema | bool) -> Any:
        if isinstance(schema, bool):
            return schema
        if reference := schema.get("$ref"):
            return self._reference(reference)
        return self._plain(merged(schema, self._document))

    def _reference(self, reference: str) -> Schema:
        name = reference.replace("~", "_").replace("/", "_").replace("#", "").replace("%", "_")
        if name not in self.definitions:
            self.definitions[name] = True  # while it is being translated: it may refer to itself
            self.definitions[name] = self.of(referred(reference, self._document))
        return {"$ref": f"#/$defs/{name}"}

    def _plain(self, schema: Schema) -> Schema:
        result = {name: schema[name] for name in KEPT if name in schema}
        result |= _bounds(schema)
        if not isinstance(result.get("required", []), list):
            del result["required"]  # a parameter's own, in discovery documents
        if schema.get("type", "any") != "any":
            result["type"] = schema["type"]
        if schema.get("format") in INTEGERS and schema.get("type") == "string":
            result["pattern"] = r"^-?\d+$"
        alternatives = schema.get("oneOf") or schema.get("anyOf")
        if alternatives:
            result["anyOf"] = [self.of(one) for one in alternatives]
        if "items" in schema:
            result["items"] = self.of(schema["items"])
        result |= self._members(schema)
        if schema.get("nullable"):
            return {"anyOf": [result, {"type": "null"}]}
        return result

    def _members(self, schema: Schema) -> Schema:
        properties = schema.get("properties", {})
        others = schema.get("additionalProperties", not properties)
        found = {name: self._property(one) for name, one in properties.items()}
        return {"properties": found, "additionalProperties": self.of(others)}

    def _property(self, schema: Any) -> Any:
        if isinstance(schema, Mapping) and resolved(schema, self._document).get("readOnly"):
            return False
        return self.of(schema)


def referred(reference: str, document: Schema) -> Any:
    """In discovery documents a reference is a schema's bare name."""
    steps = reference[2:].split("/") if reference.startswith("#/") else ["schemas", reference]
    target: Any = document
    for step in steps:
        target = target[step.replace("~1", "/").replace("~0", "~")]
    return target


def resolved(schema: Schema, document: Schema) -> Schema:
    while "$ref" in schema:
        schema = referred(schema["$ref"], document)
    return schema


def merged(schema: Schema, document: Schema) -> Schema:
    """Without `allOf`: an object that is closed would refuse the properties of the others."""
    for part in schema.get("allOf", ()):
        part = merged(resolved(part, document), document)
        joined = {**part.get("properties", {}), **schema.get("properties", {})}
        needed = [*part.get("required", ()), *schema.get("required", ())]
        schema = {**part, **schema, "properties": joined, "required": needed}
    return schema


def _bounds(schema: Schema) -> dict[str, Any]:
    """Numbers: discovery documents have texts, OpenAPI 3.0 a switch for `exclusiveMinimum`."""
    numbers = {name: schema[name] for name in BOUNDS if name in schema}
    for name, plain in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        if isinstance(exclusive := numbers.get(name), bool):
            del numbers[name]
            if exclusive:
                numbers[name] = numbers.pop(plain)
    return {name: _number(value) for name, value in numbers.items()}


def _number(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    return float(value) if "." in value else int(value)
