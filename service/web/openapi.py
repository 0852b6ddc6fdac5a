"""Build the OpenAPI 3.1 document from the routes and the contracts of their views."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from apispec import APISpec
from flask import Flask
from marshmallow import Schema
from werkzeug.routing import Rule

from service.fairness import let_others_run
from service.web.errors import (
    Forbidden,
    InvalidRequest,
    NotFound,
    ServiceError,
    Stalled,
    Unauthorized,
    Unavailable,
)
from service.web.json_schemas import OPENAPI, Plugin, least_fields
from service.web.refusals import HEADERS, SHARED_HEADERS, name_of, schema_of, schemas

VERSION = "1"
INTEGRATIONS = "/api/integrations/"  # its errors begin with `success: false`


@dataclass(frozen=True)
class Instance:
    """The description of a general route's operation with these arguments in its path.

    `answer` is the schema of a success, and `headers` are the headers that it may have, with every
    method. `facts` are further members of the operation.
    """

    arguments: Mapping[str, str]
    summary: str
    answer: Mapping[str, Any]
    headers: Mapping[str, Any]
    facts: Mapping[str, Any]


def document(app: Flask) -> dict[str, Any]:
    """Return the document of all routes.

    `tests/test_openapi.py` compares it with the URL map and with real answers.
    """
    spec = APISpec(
        title="Chat, integration and widget service",
        version=VERSION,
        openapi_version=OPENAPI,
        plugins=[Plugin()],
    )
    for name, header in SHARED_HEADERS.items():
        spec.components.header(name, header)
    spec.components.security_scheme("bearer", {"type": "http", "scheme": "bearer"})
    for name, schema in schemas():
        spec.components.schema(name, schema)
    for rule in sorted(app.url_map.iter_rules(), key=lambda rule: rule.rule):
        view = app.view_functions[rule.endpoint]
        methods = sorted((rule.methods or set()) - {"HEAD", "OPTIONS"})
        operation = _operation(rule, view)
        described = {method.lower(): operation for method in methods}
        path = re.sub(r"<(?:[^:>]+:)?([^>]+)>", r"{\1}", rule.rule)
        spec.path(path=path, operations=described)
        let_others_run()  # the whole document takes tenths of a second
        for instance in getattr(view, "contract", {}).get("instances", list)():
            specific = _instance(spec, operation, instance)
            spec.path(
                path=path.format(**instance.arguments),
                operations=dict.fromkeys(described, specific),
            )
    return spec.to_dict()


def _instance(spec: APISpec, general: Mapping[str, Any], instance: Instance) -> dict[str, Any]:
    """Return the operation of an instance. It has the refusals of the general operation."""
    values = "-".join(instance.arguments.values()).replace("/", "-")
    answer = _response(200, {"application/json": instance.answer}, instance.headers)
    responses = {"200": _response_reference(spec, f"{values}.200", answer)}
    for status, response in general["responses"].items():
        if status != "200":
            responses[status] = _response_reference(
                spec, f"{general['operationId']}.{status}", response
            )
    headers = [one for one in general["parameters"] if one["in"] == "header"]
    facts = dict(instance.facts)
    return {
        "operationId": f"{general['operationId']}.{values}",
        "summary": instance.summary,
        "security": general["security"],
        "parameters": [*headers, *facts.pop("parameters", [])],
        **facts,
        "responses": responses,
    }


def _response_reference(spec: APISpec, name: str, response: dict[str, Any]) -> dict[str, str]:
    """Return a reference to a response that several operations share."""
    if name not in spec.components.responses:
        spec.components.response(name, response)
    return {"$ref": f"#/components/responses/{name}"}


def _operation(rule: Rule, view: Any) -> dict[str, Any]:
    contract = getattr(view, "contract", {})
    summary, _, description = (view.__doc__ or "").strip().partition("\n\n")
    operation: dict[str, Any] = {
        "operationId": rule.endpoint,
        "summary": summary,
        "parameters": [*_parameters(rule, contract)],
        "responses": _responses(rule, view, contract),
    }
    if description:
        operation["description"] = " ".join(description.split())
    if body := contract.get("body"):
        content = {"application/json": {"schema": body}}
        operation["requestBody"] = {"required": _is_required(body), "content": content}
    if contract.get("form"):
        form = {"application/x-www-form-urlencoded": {"schema": contract["form"]}}
        operation["requestBody"] = {"required": True, "content": form}
    if _needs_token(rule, view):
        operation["security"] = [{"bearer": []}]
    if "security" in contract:
        operation["security"] = contract["security"]
    if scopes := getattr(view, "open_to", None):
        operation["x-limited-tokens"] = sorted(scopes)
    return operation


def _parameters(rule: Rule, contract: Mapping[str, Any]) -> Iterable[dict[str, Any]]:
    text = {"type": "string"}
    for name in sorted(rule.arguments):
        yield {"in": "path", "name": name, "required": True, "schema": text}
    if "query" in contract:
        yield {"in": "query", "schema": contract["query"]}
    for name, about in contract.get("takes", {}).items():
        yield {"in": "header", "name": name, **about}


def _needs_token(rule: Rule, view: Any) -> bool:
    return rule.rule.startswith("/api/") and not getattr(view, "public", False)


def _is_required(body: Schema) -> bool:
    """Return whether a body is required. A missing body counts as `{}`."""
    return bool(least_fields(body)) or any(field.required for field in body.fields.values())


def _responses(rule: Rule, view: Any, contract: Mapping[str, Any]) -> dict[str, Any]:
    """Return the view's answer, its errors by status, and all other errors as `default`."""
    is_integration = rule.rule.startswith(INTEGRATIONS)
    responses = {str(contract.get("status", 200)): _success(contract)}
    for status, answer in contract.get("others", {}).items():
        responses[str(status)] = _response(status, answer, {})
    by_status: dict[int, list[type[ServiceError]]] = {}
    for error in _refusals(rule, view, contract):
        by_status.setdefault(error.status, []).append(error)
    for status, errors in sorted(by_status.items()):
        refusal = _refusal(status, errors, is_integration)
        described = responses.setdefault(str(status), refusal)
        described["content"] = _merge(described.get("content", {}), refusal["content"])
    responses["default"] = _refusal(500, [ServiceError], is_integration)
    return responses


def _merge(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    """Merge the contents of two responses with the same status, by media type."""
    merged = {**one, **other}
    for kind in one.keys() & other.keys():
        if one[kind] != other[kind]:
            merged[kind] = {"schema": {"anyOf": [one[kind]["schema"], other[kind]["schema"]]}}
    return merged


def _refusals(rule: Rule, view: Any, contract: Mapping[str, Any]) -> list[type[ServiceError]]:
    """Return the errors of a route: those common to routes of its kind and those of its contract.

    Every route refuses NUL in a path or query, which is an `InvalidRequest`.
    """
    errors = [InvalidRequest, ServiceError]
    errors += [NotFound] if rule.arguments else []
    errors += [Stalled] if contract.get("body") or contract.get("form") else []
    errors += [Unauthorized, Forbidden, Unavailable] if _needs_token(rule, view) else []
    return list(dict.fromkeys([*errors, *contract.get("refusals", ())]))


def _refusal(status: int, errors: list[type[ServiceError]], is_integration: bool) -> dict[str, Any]:
    schemas = [schema_of(error, is_integration) for error in sorted(errors, key=name_of)]
    schema = schemas[0] if len(schemas) == 1 else {"anyOf": schemas}
    header_names = [set(error.headers) & set(HEADERS) for error in errors]
    headers = {
        name: {**HEADERS[name], "required": all(name in names for names in header_names)}
        for name in sorted(set[str]().union(*header_names))
    }
    return _response(status, {"application/json": schema}, headers)


def _success(contract: Mapping[str, Any]) -> dict[str, Any]:
    schema = contract.get("answer") or contract.get("answer_schema")
    kind = contract.get("media_type", "application/json" if schema else "text/html")
    kinds = () if contract.get("empty") else kind if isinstance(kind, tuple) else (kind,)
    content = {kind: schema or {"type": "string"} for kind in kinds}
    return _response(contract.get("status", 200), content, contract.get("gives", {}))


def _response(
    status: int, content: Mapping[str, Any], headers: Mapping[str, Any]
) -> dict[str, Any]:
    return {
        "description": HTTPStatus(status).phrase,
        "headers": {"X-Request-Id": header_reference("X-Request-Id"), **headers},
        **({"content": {kind: {"schema": it} for kind, it in content.items()}} if content else {}),
    }


def header_reference(name: str) -> dict[str, str]:
    """Return a reference to a header that many responses share."""
    assert name in SHARED_HEADERS
    return {"$ref": f"#/components/headers/{name}"}
