"""Write JSON Schemas as types of TypeScript."""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

JsonSchema = Mapping[str, Any]

NAMES = {"integer": "number", "null": "null", "string": "string", "boolean": "boolean"}
PLAIN = re.compile(r"[A-Za-z_$][\w$]*")  # a property name without quotes
LINE = 100  # characters of an object that is written in one line
STEP = "  "


def type_of(schema: JsonSchema, indent: str = "") -> str:
    """Return a schema as a type. An object that is long or has comments takes several lines."""
    if "const" in schema or "enum" in schema:
        return _union(_literal(one) for one in schema.get("enum", [schema.get("const")]))
    if "anyOf" in schema:
        return _union(type_of(one, indent) for one in schema["anyOf"])
    kinds = schema.get("type", "unknown")
    return _union(_type_of_kind(kind, schema, indent) for kind in _as_list(kinds))


def _type_of_kind(kind: str, schema: JsonSchema, indent: str) -> str:
    if kind == "array":
        inner = type_of(schema.get("items", {}), indent)
        return f"Array<{inner}>" if re.search(r"\W", inner) else f"{inner}[]"
    return _object(schema, indent) if kind == "object" else NAMES.get(kind, kind)


def _object(schema: JsonSchema, indent: str) -> str:
    properties = schema.get("properties", {})
    if not properties:
        return f"Record<string, {_others(schema, indent)}>"
    inner = indent + STEP
    fields = [_field(name, one, schema, inner) for name, one in properties.items()]
    line = f"{{ {'; '.join(fields)} }}"
    if len(indent + line) <= LINE and "\n" not in line and "description" not in str(properties):
        return line
    comments = [comment(_about(one), inner) for one in properties.values()]
    lines = [f"{about}{inner}{one};\n" for about, one in zip(comments, fields, strict=True)]
    return f"{{\n{''.join(lines)}{indent}}}"


def _others(schema: JsonSchema, indent: str) -> str:
    """Return the type of the values of an object without declared properties."""
    others = schema.get("additionalProperties", True)
    if isinstance(others, dict):
        return type_of(others, indent)
    return "unknown" if others else "never"


def _field(name: str, one: JsonSchema, schema: JsonSchema, indent: str) -> str:
    mark = "" if name in schema.get("required", ()) else "?"
    text = name if PLAIN.fullmatch(name) else quote(name)
    return f"{text}{mark}: {type_of(one, indent)}"


def _about(schema: JsonSchema) -> str:
    about = schema.get("description", "")
    return f"{about} @default {_literal(schema['default'])}" if "default" in schema else about


def comment(text: str, indent: str) -> str:
    """Return a comment on its own line, or "" for an empty text."""
    text = " ".join(text.split()).replace("*/", "* /")
    return f"{indent}/** {text} */\n" if text else ""


def _union(types: Iterable[str]) -> str:
    return " | ".join(dict.fromkeys(types))


def _as_list(kinds: str | list[str]) -> list[str]:
    return kinds if isinstance(kinds, list) else [kinds]


def _literal(value: object) -> str:
    return quote(value) if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def quote(text: str) -> str:
    """Return a string literal in single quotes."""
    inner = json.dumps(text, ensure_ascii=False)[1:-1].replace("'", "\\'").replace('\\"', '"')
    return f"'{inner}'"
