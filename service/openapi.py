"""The OpenAPI 3.1 document, from the routes and the contracts their decorators noted."""

import re
from collections.abc import Mapping
from typing import Any

from apispec import APISpec
from apispec.ext.marshmallow import MarshmallowPlugin
from flask import Flask
from marshmallow import Schema, fields
from werkzeug.routing import Rule

VERSION = "1"


class ErrorSchema(Schema):
    error = fields.String(required=True)
    message = fields.String(required=True)
    details = fields.Dict()


def document(app: Flask) -> dict[str, Any]:
    """Every route of the app; `tests/test_openapi.py` holds it against the url map."""
    spec = APISpec(
        title="Chat, integration and widget service",
        version=VERSION,
        openapi_version="3.1.0",
        plugins=[MarshmallowPlugin()],
    )
    spec.components.security_scheme("bearer", {"type": "http", "scheme": "bearer"})
    for rule in sorted(app.url_map.iter_rules(), key=lambda rule: rule.rule):
        view = app.view_functions[rule.endpoint]
        methods = sorted((rule.methods or set()) - {"HEAD", "OPTIONS"})
        described = {method.lower(): _operation(rule, view) for method in methods}
        spec.path(path=re.sub(r"<(?:[^:>]+:)?([^>]+)>", r"{\1}", rule.rule), operations=described)
    return spec.to_dict()


def _operation(rule: Rule, view: Any) -> dict[str, Any]:
    contract = getattr(view, "contract", {})
    summary, _, description = (view.__doc__ or "").strip().partition("\n\n")
    path = [
        {"in": "path", "name": n, "required": True, "schema": {"type": "string"}}
        for n in sorted(rule.arguments)
    ]
    operation: dict[str, Any] = {
        "operationId": rule.endpoint,
        "summary": summary,
        "parameters": path
        + ([{"in": "query", "schema": contract["query"]}] if "query" in contract else []),
        "responses": {str(contract.get("status", 200)): _response(contract)},
    }
    if description:
        operation["description"] = " ".join(description.split())
    if contract.get("body"):
        operation["requestBody"] = _json(contract["body"], required=_needed(contract["body"]))
    if rule.rule.startswith("/api/") and not getattr(view, "public", False):
        operation["security"] = [{"bearer": []}]
        operation["responses"]["default"] = {"description": "Refused", **_json(ErrorSchema())}
    return operation


def _needed(body: Schema) -> bool:
    """An absent body is `{}`, which will do where nothing is required."""
    return any(field.required for field in body.fields.values())


def _response(contract: dict[str, Any]) -> dict[str, Any]:
    schema = contract.get("answer") or contract.get("answer_schema")
    if schema:
        return {"description": "Done", **_json(schema)}
    media_type = contract.get("media_type", "text/html")
    return {"description": "Done", "content": {media_type: {"schema": {"type": "string"}}}}


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
