"""Write JSON Schemas for people: parameters as table rows, answers in TypeScript's notation."""

import json
from collections.abc import Iterator
from typing import Any

from service.integrations.declare.shape import Json

FORMATS = {"date": "date", "date-time": "time (ISO 8601)"}
LINE = 80  # characters of an object that is written in one line


def rows(schema: Json, path: str = "") -> Iterator[tuple[str, str, str, str]]:
    """Yield name, type, default and description of each parameter, also of nested parameters.

    Required parameters come first.
    """
    needed = schema.get("required", ())
    for name, one in sorted(
        schema.get("properties", {}).items(), key=lambda it: it[0] not in needed
    ):
        required = name in needed
        default = f"`{_text(one['default'])}`" if "default" in one else ""
        about = one.get("description", "")
        yield f"`{path}{name}`", kind(one), "required" if required else default, about
        yield from rows(one, f"{path}{name}.")
        yield from rows(one.get("items", {}), f"{path}{name}[].")


def kind(schema: Json) -> str:
    """Return a parameter's type with its bounds, as a phrase."""
    if "enum" in schema:
        return ", ".join(
            f"`{one if isinstance(one, str) else _text(one)}`" for one in schema["enum"]
        )
    match schema.get("type"):
        case "array":
            return f"list{_span(schema, 'Items')} of {kind(schema.get('items', {}))}"
        case "string":
            return _string(schema)
        case "integer" | "number" as name:
            bounds = (schema.get("minimum"), schema.get("maximum"))
            return f"{name} ({_bounds(*bounds)})" if bounds != (None, None) else name
        case str() as name:
            return name
    return "any"


def _string(schema: Json) -> str:
    if schema.get("contentEncoding"):
        return "bytes in base64"
    if any("contentEncoding" in one for one in schema.get("anyOf", ())):
        return "address, or bytes in base64"
    named = FORMATS.get(schema.get("format", ""), "string")
    return f"{named}{_span(schema, 'Length')}"


def _span(schema: Json, what: str) -> str:
    """Return ` (1 to 20)`, from `minItems` and `maxItems`, or "" without bounds."""
    most = schema.get(f"max{what}")
    return "" if most is None else f" ({_bounds(schema.get(f'min{what}'), most)})"


def _bounds(least: Any, most: Any) -> str:
    if least is None or most is None:
        return f"at most {_number(most)}" if least is None else f"at least {_number(least)}"
    return _number(least) if least == most else f"{_number(least)} to {_number(most)}"


def _number(value: float) -> str:
    return f"{value:g}" if abs(value) < 1e6 and value != int(value) else f"{int(value)}"


def type_of(schema: Json, indent: str = "") -> str:
    """Return a type in TypeScript's notation, with a long object on several lines."""
    if "const" in schema or "enum" in schema:
        return " | ".join(_text(one) for one in schema.get("enum", [schema.get("const")]))
    if "anyOf" in schema:
        return " | ".join(type_of(one, indent) for one in schema["anyOf"])
    kinds = schema.get("type", "unknown")
    kinds = kinds if isinstance(kinds, list) else [kinds]
    return " | ".join(_one_type(one, schema, indent) for one in kinds)


def _one_type(name: str, schema: Json, indent: str) -> str:
    if name == "array":
        inner = type_of(schema.get("items", {}), indent)
        is_union = " | " in inner and not inner.startswith("{")
        return f"({inner})[]" if is_union else f"{inner}[]"
    return _object(schema, indent) if name == "object" else name


def _object(schema: Json, indent: str) -> str:
    properties = schema.get("properties", {})
    if not properties:
        others = schema.get("additionalProperties")
        inner = type_of(others or {}, indent) if isinstance(others, dict) else "unknown"
        return f"{{ [name: string]: {inner} }}"
    required = schema.get("required", ())
    fields = [
        (f"{name}{'' if name in required else '?'}: {type_of(one, f'{indent}  ')}", one)
        for name, one in properties.items()
    ]
    line = f"{{ {', '.join(text for text, _ in fields)} }}"
    is_described = any("description" in one for one in properties.values())
    if len(line) <= LINE - len(indent) and "\n" not in line and not is_described:
        return line
    inner = "\n".join(f"{indent}  {text}{_comment(one)}" for text, one in fields)
    return f"{{\n{inner}\n{indent}}}"


def _comment(schema: Json) -> str:
    about = schema.get("description")
    return f"  // {about}" if about else ""


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
