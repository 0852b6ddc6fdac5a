"""Whether a vendor's published API description allows a request.

OpenAPI 3, Swagger 2, Google's discovery documents and SerpApi's engines, as JSON or YAML.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import yaml

from tests.integrations.described_schemas import Schema, faults, merged, resolved, validator

FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")
Texts = Mapping[str, Any]  # a text, or a list of them, for each name


@dataclass(frozen=True)
class Operation:
    """One method of a path; parameters by (place, name), each with its schema.

    `engine` is the value of that name in the query, where it tells operations of a path apart.
    """

    name: str
    host: str
    pattern: re.Pattern[str]
    literal: int  # characters of its path that are no parameter
    parameters: Mapping[tuple[str, str], Schema]
    required: frozenset[tuple[str, str]]
    body: Schema | None
    body_required: bool = False
    scopes: tuple[str, ...] = ()
    engine: str = ""
    document: Schema = field(default_factory=dict, repr=False)


def check(description: str | Path, method: str, path: str, query: Texts, body: Any = None) -> str:
    """The name of the operation that allows it. Raises AssertionError, saying what is wrong.

    `path` as it stood in the request line.
    """
    operation = find(operations(str(description)), method, path, query)
    assert operation, f"no operation {method} {path}"
    wrong = wrong_request(operation, path, query, body)
    assert not wrong, f"{operation.name}: {'; '.join(wrong)}"
    return operation.name


def find(known: Iterable[Operation], method: str, path: str, query: Texts) -> Operation | None:
    engine = query.get("engine", "")
    engines = ["", *(engine if isinstance(engine, list) else [engine])]
    fitting = [one for one in known if one.name.startswith(method) and one.pattern.fullmatch(path)]
    fitting = [one for one in fitting if one.engine in engines]
    return max(fitting, key=lambda one: one.literal, default=None)


def wrong_request(
    operation: Operation, path: str, query: Texts, body: Any = None, form: Texts | None = None
) -> list[str]:
    """What is wrong with a request: `body` is a JSON value, `form` the texts of a form."""
    wrong = [*_wrong_path(operation, path), *_wrong_texts(operation, "query", query)]
    if form is not None:
        return wrong + list(_wrong_form(operation, form))
    if body is not None and operation.body is None:
        wrong.append("takes no body")
    elif body is not None:
        wrong += faults(operation.body or {}, body, operation.document, "body")
    elif operation.body_required:
        wrong.append("needs a body")
    return wrong


def _wrong_path(operation: Operation, path: str) -> Iterator[str]:
    match = operation.pattern.fullmatch(path)
    for (place, name), schema in operation.parameters.items():
        if match and place == "path" and f"p_{_key(name)}" in match.groupdict():
            text = unquote(match[f"p_{_key(name)}"])
            yield from _wrong_text(operation.document, schema, [text], name)


def _wrong_texts(operation: Operation, where: str, texts: Texts) -> Iterator[str]:
    known = {name: one for (place, name), one in operation.parameters.items() if place == where}
    required = {name for place, name in operation.required if place == where}
    yield from (f"{name}: is missing" for name in sorted(required - texts.keys()))
    for name, value in texts.items():
        schema = known[name] if name in known else _deep(operation.document, known, name)
        if schema is None:
            yield f"{name}: is unknown"
        else:
            many = value if isinstance(value, list) else [value]
            yield from _wrong_text(operation.document, schema, many, name)


def _deep(document: Schema, known: Mapping[str, Schema], name: str) -> Schema | None:
    """The schema of `filters[people][age]` or `filters[topic][]`, in the style deepObject."""
    root, *keys = name.replace("]", "").split("[")
    schema: Schema = known.get(root, {})
    if not keys or schema.get("style") != "deepObject":
        return None
    is_list = keys[-1] == ""
    for key in keys[:-1] if is_list else keys:
        properties = merged(resolved(schema, document), document).get("properties", {})
        schema = properties.get(key, {})
    kind = resolved(schema, document).get("type")
    is_whole = kind == "array" if is_list else kind not in (None, "array", "object")
    return schema if is_whole else None


def _wrong_form(operation: Operation, form: Texts) -> Iterator[str]:
    if any(place == "formData" for place, _ in operation.parameters):
        yield from _wrong_texts(operation, "formData", form)
        return
    schema = merged(resolved(operation.body or {}, operation.document), operation.document)
    known = {("formData", name): one for name, one in schema.get("properties", {}).items()}
    required = frozenset(("formData", name) for name in schema.get("required", ()))
    facts = {**vars(operation), "parameters": known, "required": required}
    yield from _wrong_texts(Operation(**facts), "formData", form)


def _wrong_text(document: Schema, schema: Schema, texts: list[str], name: str) -> list[str]:
    """A text fits if one of the values that it may stand for does."""
    plain = merged(resolved(schema, document), document)
    if plain.get("type") == "array":
        items = plain.get("items", {})
        split = [one for text in texts for one in text.split(",")] if _joined(plain) else texts
        return [fault for one in split for fault in _wrong_text(document, items, [one], name)]
    if len(texts) != 1:
        return [f"{name}: is repeated"]
    checks = validator(schema, document)
    if any(checks.is_valid(value) for value in _values(texts[0])):
        return []
    return [f"{name}: {error.message}" for error in checks.iter_errors(texts[0])]


def _joined(schema: Schema) -> bool:
    return schema.get("explode") is False or schema.get("collectionFormat") == "csv"


def _values(text: str) -> list[Any]:
    switches = {"true": True, "false": False}
    values = [text, *([switches[text]] if text in switches else [])]
    if re.fullmatch(r"-?\d+", text):
        values.append(int(text))
    elif re.fullmatch(r"-?\d+(\.\d+)?([eE][-+]?\d+)?", text):
        values.append(float(text))
    return values


@cache
def operations(path: str) -> tuple[Operation, ...]:
    text = Path(path).read_text()
    # Its loader in C is eight times as fast.
    is_json = path.endswith("json")
    document = json.loads(text) if is_json else yaml.load(text, Loader=yaml.CSafeLoader)
    document = json.loads(json.dumps(document, default=str))  # dates in YAML are no texts
    if "discoveryVersion" in document:
        return tuple(_discovery(document))
    if "engine" in document:
        return (_engine(document),)
    return tuple(_openapi(document)) if "paths" in document else ()


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


def _openapi(document: Schema) -> Iterator[Operation]:
    """Also Swagger 2, whose parameters have their schemas in themselves."""
    whole = {"url": f"https://{document.get('host', '')}{document.get('basePath', '')}"}
    for template, item in document["paths"].items():
        servers = item.get("servers") or document.get("servers") or [whole]
        for url in (urlsplit(server["url"]) for server in servers):
            for method in item.keys() & {"get", "post", "put", "patch", "delete"}:
                made = _operation(document, item, item[method])
                name = f"{method.upper()} {template}"
                shape = _pattern(url.path.rstrip("/") + template, made.pop("deep"))
                yield Operation(name, url.netloc, *shape, document=document, **made)


def _operation(document: Schema, item: Schema, operation: Schema) -> dict[str, Any]:
    stated = [*item.get("parameters", ()), *operation.get("parameters", ())]
    parameters = [resolved(one, document) for one in stated]
    bodies = [one for one in parameters if one["in"] == "body"]
    body = resolved(operation.get("requestBody", bodies[0] if bodies else {}), document)
    content = body.get("content", {})
    kind = next((kind for kind in ("application/json", *FORMS) if kind in content), None)
    schema = content[kind].get("schema", {}) if kind else body.get("schema")
    places = {(one["in"], one["name"]): one for one in parameters if one["in"] != "body"}
    return {
        "deep": {one["name"] for one in parameters if one.get("x-multi-segment")},
        "parameters": {place: _parameter(one) for place, one in places.items()},
        "required": frozenset(place for place, one in places.items() if one.get("required")),
        "body": schema,
        "body_required": bool(body.get("required")),
    }


def _parameter(parameter: Schema) -> Schema:
    if "schema" in parameter:
        styled = {"explode": parameter.get("explode", True), "style": parameter.get("style")}
        return {**parameter["schema"], **styled}
    return {name: value for name, value in parameter.items() if name != "required"}


def _discovery(document: Schema) -> Iterator[Operation]:
    base, shared = "/" + document["servicePath"].strip("/"), document.get("parameters", {})
    for item in _methods(document):
        upload = item.get("mediaUpload", {}).get("protocols", {})
        paths = {f"{base.rstrip('/')}/{item['path']}": {}}
        paths |= {one["path"]: {"uploadType": {"type": "string"}} for one in upload.values()}
        for template, more in paths.items():
            stated = {**shared, **more, **item.get("parameters", {})}
            places = {(one.get("location", "query"), name): one for name, one in stated.items()}
            yield Operation(
                f"{item['httpMethod']} {item['id']}",
                urlsplit(document["rootUrl"]).netloc,
                *_pattern(template, set()),
                {place: _repeated(one) for place, one in places.items()},
                frozenset(place for place, one in places.items() if one.get("required")),
                item.get("request"),
                scopes=tuple(item.get("scopes", ())),
                document=document,
            )


def _engine(document: Schema) -> Operation:
    """A kind of search at SerpApi, as its own MCP server describes it."""
    stated = {**document.get("common_params", {}), **document["params"]}
    return Operation(
        f"GET {document['engine']}",
        "serpapi.com",
        *_pattern("/search.json", set()),
        {("query", name): _choice(one) for name, one in stated.items()},
        frozenset(("query", name) for name, one in stated.items() if one.get("required")),
        None,
        engine=document["engine"],
        document=document,
    )


def _choice(parameter: Schema) -> Schema:
    """Options are values, or pairs of a value and its name; some have what they are for in front.

    `amazon.com|en_US` is `en_US`, and exists at amazon.com.
    """
    options = [one[0] if isinstance(one, list) else one for one in parameter.get("options", ())]
    values = [one.rpartition("|")[2] if isinstance(one, str) else one for one in options]
    return {"enum": values} if values else {}


def _repeated(parameter: Schema) -> Schema:
    plain = {name: value for name, value in parameter.items() if name != "required"}
    return {"type": "array", "items": plain} if parameter.get("repeated") else plain


def _methods(resource: Schema) -> Iterator[Schema]:
    yield from resource.get("methods", {}).values()
    for inner in resource.get("resources", {}).values():
        yield from _methods(inner)
