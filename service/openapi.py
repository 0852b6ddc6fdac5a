"""The OpenAPI 3.1 document, from the routes and the contracts their decorators noted."""

import re
from collections.abc import Iterable, Mapping
from http import HTTPStatus
from typing import Any

from apispec import APISpec
from apispec.ext.marshmallow import MarshmallowPlugin
from flask import Flask
from marshmallow import Schema
from werkzeug.routing import Rule

from service.errors import (
    InvalidRequest,
    NotFound,
    ServiceError,
    Stalled,
    Unauthorized,
    Unavailable,
)
from service.refusals import HEADERS, REQUEST_ID, name_of, schema_of, schemas

VERSION = "1"
INTEGRATIONS = "/api/integrations/"  # its refusals have `success: false` in front


def document(app: Flask) -> dict[str, Any]:
    """Every route of the app; `tests/test_openapi.py` holds it against the url map and real
    answers."""
    spec = APISpec(
        title="Chat, integration and widget service",
        version=VERSION,
        openapi_version="3.1.0",
        plugins=[MarshmallowPlugin()],
    )
    spec.components.security_scheme("bearer", {"type": "http", "scheme": "bearer"})
    for name, schema in schemas():
        spec.components.schema(name, schema)
    for rule in sorted(app.url_map.iter_rules(), key=lambda rule: rule.rule):
        view = app.view_functions[rule.endpoint]
        methods = sorted((rule.methods or set()) - {"HEAD", "OPTIONS"})
        described = {method.lower(): _operation(rule, view) for method in methods}
        spec.path(path=re.sub(r"<(?:[^:>]+:)?([^>]+)>", r"{\1}", rule.rule), operations=described)
    return spec.to_dict()


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
    if contract.get("body"):
        operation["requestBody"] = _json(contract["body"], required=_needed(contract["body"]))
    if contract.get("form"):
        form = {"application/x-www-form-urlencoded": {"schema": contract["form"]}}
        operation["requestBody"] = {"required": True, "content": form}
    if _is_closed(rule, view):
        operation["security"] = [{"bearer": []}]
    return operation


def _parameters(rule: Rule, contract: Mapping[str, Any]) -> Iterable[dict[str, Any]]:
    text = {"type": "string"}
    for name in sorted(rule.arguments):
        yield {"in": "path", "name": name, "required": True, "schema": text}
    if "query" in contract:
        yield {"in": "query", "schema": contract["query"]}
    for name, about in contract.get("takes", {}).items():
        yield {"in": "header", "name": name, "schema": text, "description": about}


def _is_closed(rule: Rule, view: Any) -> bool:
    return rule.rule.startswith("/api/") and not getattr(view, "public", False)


def _needed(body: Schema) -> bool:
    """An absent body is `{}`, which will do where nothing is required."""
    return any(field.required for field in body.fields.values())


def _responses(rule: Rule, view: Any, contract: Mapping[str, Any]) -> dict[str, Any]:
    """The view's answer, then its refusals by status, and any other as `default`."""
    ours = rule.rule.startswith(INTEGRATIONS)
    responses = {str(contract.get("status", 200)): _done(contract)}
    for status, answer in contract.get("others", {}).items():
        responses[str(status)] = _described(status, answer, {})
    by_status: dict[int, list[type[ServiceError]]] = {}
    for error in _refusals(rule, view, contract):
        by_status.setdefault(error.status, []).append(error)
    for status, errors in sorted(by_status.items()):
        refused = _refused(status, errors, ours)
        known = responses.setdefault(str(status), refused)
        known["content"] = {**known.get("content", {}), **refused["content"]}
    responses["default"] = _refused(500, [ServiceError], ours)
    return responses


def _refusals(rule: Rule, view: Any, contract: Mapping[str, Any]) -> list[type[ServiceError]]:
    """A route's refusals. Every route refuses NUL in an address; its contract has the others."""
    found = [InvalidRequest, ServiceError]
    found += [NotFound] if rule.arguments else []
    found += [Stalled] if contract.get("body") or contract.get("form") else []
    found += [Unauthorized, Unavailable] if _is_closed(rule, view) else []
    return list(dict.fromkeys([*found, *contract.get("refusals", ())]))


def _refused(status: int, errors: list[type[ServiceError]], ours: bool) -> dict[str, Any]:
    known = [schema_of(error, ours) for error in sorted(errors, key=name_of)]
    schema = known[0] if len(known) == 1 else {"anyOf": known}
    told = [set(error.headers) & set(HEADERS) for error in errors]
    headers = {
        name: {**HEADERS[name], "required": all(name in names for names in told)}
        for name in sorted(set[str]().union(*told))
    }
    return _described(status, {"application/json": schema}, headers)


def _done(contract: Mapping[str, Any]) -> dict[str, Any]:
    schema = contract.get("answer") or contract.get("answer_schema")
    kind = contract.get("media_type", "application/json" if schema else "text/html")
    kinds = () if contract.get("empty") else kind if isinstance(kind, tuple) else (kind,)
    content = {kind: schema or {"type": "string"} for kind in kinds}
    return _described(contract.get("status", 200), content, contract.get("gives", {}))


def _described(status: int, content: Mapping[str, Any], headers: Mapping[str, Any]) -> dict:
    return {
        "description": HTTPStatus(status).phrase,
        "headers": {"X-Request-Id": REQUEST_ID, **headers},
        **({"content": {kind: {"schema": it} for kind, it in content.items()}} if content else {}),
    }


def _json(schema: Schema, **facts: Any) -> dict[str, Any]:
    return {**facts, "content": {"application/json": {"schema": schema}}}


def json_schema(schema: Schema) -> Mapping[str, Any]:
    """JSON Schema 2020-12 of an object, closed to unknown keys as the schema is.

    A schema within it stands in its place: there is no document here that could have it.
    """
    plugin = MarshmallowPlugin(schema_name_resolver=lambda schema: None)
    APISpec(title="", version="", openapi_version="3.1.0", plugins=[plugin])
    assert plugin.converter  # set by the APISpec it was given to
    described = plugin.converter.schema2jsonschema(schema)
    return {"type": "object", "properties": {}, **described, "additionalProperties": False}
