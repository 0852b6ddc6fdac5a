"""`/api/integrations`: calls, jobs, the connection status, and what there is to call.

Source: specification, "Integration endpoints"; contract section 10.
"""

import secrets
from typing import Any

from flask import Blueprint, Response, current_app, g, jsonify, request
from marshmallow import fields

from service.edge import answers, described_body, read_json, refuses, takes
from service.errors import InvalidRequest
from service.fields import read_number
from service.integrations import oauth
from service.integrations.catalog import Endpoint
from service.integrations.contract import (
    ANY_SCHEMA,
    APPROVALS,
    APPROVED,
    CONNECTED,
    FAILURES,
    KEY_LIMIT,
    ONCE,
    REFUSALS,
    CatalogSchema,
    Envelope,
    Parameters,
)
from service.integrations.proxy import Proxy
from service.integrations.way import Request, told_response
from service.openapi import json_schema

integrations = Blueprint("integrations", __name__, url_prefix="/api/integrations")


@integrations.after_app_request
def envelop(response: Response) -> Response:
    """`success: false` in front of every error below our prefix, also where no route was met."""
    ours = f"{request.path}/".startswith(f"{integrations.url_prefix}/")
    if not ours or response.status_code < 400 or not response.is_json:
        return response
    told = response.get_json()
    if "success" not in told:
        response.set_data(jsonify({"success": False, **told}).get_data())
    return response


@integrations.get("/status")
@answers(None, answer_schema={"type": "object", "additionalProperties": CONNECTED})
def status() -> Response:
    """What the caller has connected, and what that allows"""
    proxy = _proxy()
    if proxy.gateway:
        return told_response(proxy.gateway.status(g.token))
    return jsonify(proxy.connections.status(g.caller.subject))


@integrations.get("/catalog")
@answers(None, answer_schema=CatalogSchema())
def catalog() -> Response:
    """Every endpoint, with its price and whether it asks first"""
    proxy = _proxy()
    return jsonify({"endpoints": [_described(proxy, item) for item in proxy.catalog]})


@integrations.get("/routes-schema")
@answers(None, media_type="application/schema+json", answer_schema=ANY_SCHEMA)
def routes_schema() -> Response:
    """One JSON Schema, with the body of every endpoint under each of its names"""
    bodies = {item.name: _body_schema(item) for item in _proxy().catalog}
    named = {name: bodies[item.name] for name, item in _proxy().catalog.names.items()}
    document = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Bodies of the integration endpoints",
        "type": "object",
        "properties": named,
    }
    response = jsonify(document)
    response.content_type = "application/schema+json"
    return response


@integrations.get("/jobs/<job_id>")
@refuses(*FAILURES)
@answers(None, answer_schema=Envelope())
def job(job_id: str) -> Response:
    """The state of a slow call of the caller's own, and its result once it is there"""
    proxy = _proxy()
    if proxy.gateway and (told := proxy.gateway.job(g.caller, g.token, job_id)):
        return told_response(told)
    data = proxy.jobs.state(g.caller.subject, job_id, proxy.catalog.named)
    return jsonify({"success": True, "data": data})


@integrations.post("/<path:endpoint>")
@described_body(Parameters())
@takes(Idempotency_Key=ONCE, X_Approval=APPROVED)
@refuses(*REFUSALS, *FAILURES)
@answers(None, answer_schema=Envelope())
def post(endpoint: str) -> Response:
    """Call an endpoint; its parameters are in `routes-schema`

    With `Idempotency-Key` the same call is made, and charged, once in 24 hours.
    """
    request.max_content_length = _proxy().catalog.named(endpoint).body_limit
    body = read_json()
    if not isinstance(body, dict):
        raise InvalidRequest("The body must be an object.", details={})
    return _call(endpoint, body)


@integrations.get("/<path:endpoint>")
@takes(Idempotency_Key=ONCE, X_Approval=APPROVED)
@refuses(*REFUSALS, *FAILURES)
@answers(None, answer_schema=Envelope())
def get(endpoint: str) -> Response:
    """Call an endpoint that only reads; its parameters stand in the query"""
    named = _proxy().catalog.named(endpoint)
    if not named.reads:
        raise InvalidRequest("This endpoint takes POST.", details={})
    return _call(endpoint, _typed(named, request.args.to_dict(flat=False)))


def _call(endpoint: str, body: dict[str, Any]) -> Response:
    browser = secrets.token_urlsafe(32)  # a new one for each call, even if a cookie came
    key = request.headers.get("Idempotency-Key")
    if key is not None and not 0 < len(key) <= KEY_LIMIT:
        raise InvalidRequest(details={"Idempotency-Key": [f"1 to {KEY_LIMIT} characters."]})
    approval = request.headers.get("X-Approval")
    asked = Request(
        caller=g.caller,
        token=g.token,
        endpoint=endpoint,
        body=body,
        browser=browser,
        idempotency_key=key,
        approval=approval if approval in APPROVALS else None,
        request_id=g.request_id,
    )
    told = _proxy().call(asked)
    response = told_response(told)
    if told.consent:
        oauth.bind(response, browser)
    return response


def _typed(endpoint: Endpoint, query: dict[str, list[str]]) -> dict[str, Any]:
    """Query texts as the JSON values that the schema wants; a list's name may be repeated."""
    known = endpoint.schema.fields
    return {name: _value(known.get(name), texts) for name, texts in query.items()}


def _value(field: fields.Field | None, texts: list[str]) -> Any:
    text = texts[-1]
    match field:
        case fields.List():
            return texts
        case fields.Boolean():
            return {"true": True, "false": False}.get(text, text)
        case fields.Integer() | fields.Float():
            number = read_number(text)
            return text if number is None else number
    return text


def _described(proxy: Proxy, item: Endpoint) -> dict[str, Any]:
    return {
        "name": item.name,
        "aliases": list(item.aliases),
        "category": item.category,
        "summary": item.summary,
        "methods": ["POST", "GET"] if item.reads else ["POST"],
        "integration": item.vendor.integration,
        "billing": proxy.billing(item),
        "credits": item.credits,
        "metered": item.meter is not None,
        "creditConsuming": item.credits > 0,
        "autoApprove": item.auto_approve,
        "async": item.job is not None,
        "scopes": proxy.connections.scopes_of(item),
        "configured": proxy.is_configured(item),
        "docs": item.docs,
    }


def _body_schema(item: Endpoint) -> dict[str, Any]:
    schema = dict(json_schema(item.schema))
    schema["title"] = item.summary
    if item.job:
        wait = {"type": "number", "minimum": 0, "maximum": 60, "default": item.job.wait}
        schema["properties"] = {**schema["properties"], "wait": wait}
    return schema


def _proxy() -> Proxy:
    return current_app.extensions["proxy"]
