"""Whether a vendor's published API description allows a request.

OpenAPI 3 and Google's discovery documents, as JSON.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from tests.integrations.schemas import Schema, faults, resolved


@dataclass(frozen=True)
class Operation:
    """One method of a path; parameters by (place, name), each with its schema."""

    name: str
    pattern: re.Pattern[str]
    literal: int  # characters of its path that are no parameter
    parameters: Mapping[tuple[str, str], Schema]
    required: frozenset[tuple[str, str]]
    body: Schema | None
    body_required: bool = False


def check(
    description: str | Path, method: str, path: str, query: Mapping[str, Any], body: Any = None
) -> str:
    """The name of the operation that allows it. Raises AssertionError, saying what is wrong.

    `path` as it stood in the request line, `query` with a text or a list of texts for each name.
    """
    document = _document(str(description))
    found = [op for op in _operations(str(description), method) if op.pattern.fullmatch(path)]
    assert found, f"no operation {method} {path}"
    operation = max(found, key=lambda op: op.literal)
    wrong = [*_wrong_path(operation, path, document), *_wrong_query(operation, query, document)]
    if body is not None and operation.body is None:
        wrong.append("takes no body")
    elif body is not None:
        wrong += faults(operation.body or {}, body, document, "body")
    elif operation.body_required:
        wrong.append("needs a body")
    assert not wrong, f"{operation.name}: {'; '.join(wrong)}"
    return operation.name


def _wrong_path(operation: Operation, path: str, document: Schema) -> Iterator[str]:
    match = operation.pattern.fullmatch(path)
    for (place, name), schema in operation.parameters.items():
        if match and place == "path" and f"p_{_key(name)}" in match.groupdict():
            text = unquote(match[f"p_{_key(name)}"])
            yield from faults(schema, _typed(schema, text, document), document, name)


def _wrong_query(operation: Operation, query: Mapping[str, Any], document: Schema) -> Iterator[str]:
    for place, name in operation.required:
        if place == "query" and name not in query:
            yield f"{name}: is missing in the query"
    for name, given in query.items():
        schema = operation.parameters.get(("query", name))
        if schema is None:
            yield f"{name}: is unknown in the query"
            continue
        texts = given if isinstance(given, list) else [given]
        if resolved(schema, document).get("type") == "array":
            items = [_typed(schema["items"], text, document) for text in texts]
            yield from faults(schema, items, document, name)
        elif len(texts) != 1:
            yield f"{name}: is repeated"
        else:
            yield from faults(schema, _typed(schema, texts[0], document), document, name)


def _typed(schema: Schema, text: str, document: Schema) -> Any:
    """A text of an address as what its schema calls it; as it is where that can't be."""
    kind = resolved(schema, document).get("type")
    if kind == "boolean":
        return {"true": True, "false": False}.get(text, text)
    if kind == "integer":
        return int(text) if re.fullmatch(r"-?\d+", text) else text
    if kind == "number":
        return float(text) if re.fullmatch(r"-?\d+(\.\d+)?", text) else text
    return text


@cache
def _document(path: str) -> dict[str, Any]:
    return json.loads(Path(path).read_text())


@cache
def _operations(path: str, method: str) -> list[Operation]:
    document = _document(path)
    made = _openapi if "openapi" in document or "paths" in document else _discovery
    return list(made(document, method))


def _key(name: str) -> str:
    return re.sub(r"\W", "_", name)


def _pattern(template: str, deep: set[str]) -> tuple[re.Pattern[str], int]:
    """`{name}` is one piece of a path, `{+name}` and the `deep` ones may hold slashes."""
    pieces = re.split(r"(\{\+?[^}]+\})", template)
    made = []
    for piece in pieces:
        if not piece.startswith("{"):
            made.append(re.escape(piece))
            continue
        name = piece.strip("{+}")
        text = ".*" if piece.startswith("{+") or name in deep else "[^/]+"
        made.append(f"(?P<p_{_key(name)}>{text})")
    literal = sum(len(piece) for piece in pieces if not piece.startswith("{"))
    return re.compile("".join(made)), literal


def _openapi(document: Schema, method: str) -> Iterator[Operation]:
    base = urlsplit(next(iter(document.get("servers", [])), {}).get("url", "")).path.rstrip("/")
    for template, item in document["paths"].items():
        operation = item.get(method.lower())
        if operation is None:
            continue
        given = [*item.get("parameters", ()), *operation.get("parameters", ())]
        parameters = [resolved(one, document) for one in given]
        deep = {one["name"] for one in parameters if one.get("x-multi-segment")}
        body = resolved(operation.get("requestBody", {}), document)
        yield Operation(
            f"{method} {template}",
            *_pattern(base + template, deep),
            {(one["in"], one["name"]): one.get("schema", {}) for one in parameters},
            frozenset((one["in"], one["name"]) for one in parameters if one.get("required")),
            body.get("content", {}).get("application/json", {}).get("schema"),
            bool(body.get("required")),
        )


def _discovery(document: Schema, method: str) -> Iterator[Operation]:
    base = "/" + document["servicePath"].strip("/")
    shared = document.get("parameters", {})
    for item in _methods(document):
        if item["httpMethod"] != method:
            continue
        upload = item.get("mediaUpload", {}).get("protocols", {})
        paths = {f"{base.rstrip('/')}/{item['path']}": {}}
        paths |= {one["path"]: {"uploadType": {"type": "string"}} for one in upload.values()}
        for template, more in paths.items():
            given = {**shared, **more, **item.get("parameters", {})}
            places = {name: one.get("location", "query") for name, one in given.items()}
            yield Operation(
                item["id"],
                *_pattern(template, set()),
                {(places[name], name): _repeated(one) for name, one in given.items()},
                frozenset(
                    (places[name], name) for name, one in given.items() if one.get("required")
                ),
                item.get("request"),
            )


def _repeated(parameter: Schema) -> Schema:
    plain = {name: value for name, value in parameter.items() if name != "required"}
    return {"type": "array", "items": plain} if parameter.get("repeated") else plain


def _methods(resource: Schema) -> Iterator[Schema]:
    yield from resource.get("methods", {}).values()
    for inner in resource.get("resources", {}).values():
        yield from _methods(inner)
