"""The TypeScript types of all endpoints, service/browser/widgets/endpoints.d.ts.

A type says what a widget sends and gets: `request` is a call's body, `response` the `data` of its
envelope. The client throws where a consent is needed, so the OAuth-required payload is in no type.
"""

import json
import re
from collections.abc import Iterable, Iterator

from service.integrations import documents
from service.integrations.declare.catalog import Catalog
from service.integrations.declare.endpoint import Endpoint
from service.integrations.declare.shape import Json

HEAD = """\
// The bodies and the answers of all integration endpoints, by name.
// `flask --app wsgi catalog types` prints this file from the declarations.

/** What a call needs and gives. `get` is true where an endpoint may be called with `get`. */
export interface EndpointTypes {
  get: boolean;
  request: object;
  response: unknown;
}

export interface Endpoints {
"""
NAMES = {"integer": "number", "null": "null", "string": "string", "boolean": "boolean"}
PLAIN = re.compile(r"[A-Za-z_$][\w$]*")  # a property name without quotes
LINE = 100  # characters of an object that stands in one line
STEP = "  "


def declarations(catalog: Catalog) -> Iterator[str]:
    """The file, in pieces: the head, one piece for each name, the end."""
    yield HEAD
    for name, item in sorted(catalog.names.items()):
        if name == item.name:
            yield _endpoint(item)
        else:
            yield f"{STEP}{_quoted(name)}: Endpoints[{_quoted(item.name)}];\n"
    yield "}\n"


def type_of(schema: Json, indent: str = "") -> str:
    """A schema as a type; an object over several lines if it is long or has comments."""
    if "const" in schema or "enum" in schema:
        return _union(_literal(one) for one in schema.get("enum", [schema.get("const")]))
    if "anyOf" in schema:
        return _union(type_of(one, indent) for one in schema["anyOf"])
    kinds = schema.get("type", "unknown")
    return _union(_named(kind, schema, indent) for kind in _listed(kinds))


def _endpoint(item: Endpoint) -> str:
    within = STEP * 2
    fields = [
        f"get: {'true' if item.access.gets else 'false'}",
        f"request: {type_of(documents.body_schema(item), within)}",
        f"response: {type_of(_response(item), within)}",
    ]
    lines = "".join(f"{within}{one};\n" for one in fields)
    return f"{_comment(item.summary, STEP)}{STEP}{_quoted(item.name)}: {{\n{lines}{STEP}}};\n"


def _response(item: Endpoint) -> Json:
    """The schema of an answer's `data` without the OAuth-required payload."""
    schema = documents.answer_schema(item)
    return schema["anyOf"][0] if item.scope else schema


def _named(kind: str, schema: Json, indent: str) -> str:
    if kind == "array":
        inner = type_of(schema.get("items", {}), indent)
        return f"Array<{inner}>" if re.search(r"\W", inner) else f"{inner}[]"
    return _object(schema, indent) if kind == "object" else NAMES.get(kind, kind)


def _object(schema: Json, indent: str) -> str:
    properties = schema.get("properties", {})
    if not properties:
        return f"Record<string, {_others(schema, indent)}>"
    inner = indent + STEP
    fields = [_field(name, one, schema, inner) for name, one in properties.items()]
    line = f"{{ {'; '.join(fields)} }}"
    if len(indent + line) <= LINE and "\n" not in line and "description" not in str(properties):
        return line
    comments = [_comment(_about(one), inner) for one in properties.values()]
    lines = [f"{about}{inner}{one};\n" for about, one in zip(comments, fields, strict=True)]
    return f"{{\n{''.join(lines)}{indent}}}"


def _others(schema: Json, indent: str) -> str:
    """The type of the values of an object without declared properties."""
    others = schema.get("additionalProperties", True)
    if isinstance(others, dict):
        return type_of(others, indent)
    return "unknown" if others else "never"


def _field(name: str, one: Json, schema: Json, indent: str) -> str:
    mark = "" if name in schema.get("required", ()) else "?"
    text = name if PLAIN.fullmatch(name) else _quoted(name)
    return f"{text}{mark}: {type_of(one, indent)}"


def _about(schema: Json) -> str:
    about = schema.get("description", "")
    return f"{about} @default {_literal(schema['default'])}" if "default" in schema else about


def _comment(text: str, indent: str) -> str:
    text = " ".join(text.split()).replace("*/", "* /")
    return f"{indent}/** {text} */\n" if text else ""


def _union(types: Iterable[str]) -> str:
    return " | ".join(dict.fromkeys(types))


def _listed(kinds: str | list[str]) -> list[str]:
    return kinds if isinstance(kinds, list) else [kinds]


def _literal(value: object) -> str:
    return _quoted(value) if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _quoted(text: str) -> str:
    """A string literal in single quotes."""
    inner = json.dumps(text, ensure_ascii=False)[1:-1].replace("'", "\\'").replace('\\"', '"')
    return f"'{inner}'"
