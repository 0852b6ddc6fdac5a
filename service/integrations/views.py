"""`/api/integrations`: calls, jobs, the connection status, and the catalog.

Source: docs/contract.md, "Integration endpoints" and section 10.
"""

import secrets
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from flask import Blueprint, Request, Response, current_app, g, jsonify, request

from service.auth import permits
from service.auth.bearer import open_to
from service.billing.units import to_credits
from service.current_request import current_g, current_request, current_service
from service.integrations import documents, oauth
from service.integrations.calling.admission import validate_parameters
from service.integrations.calling.proxy import PROXY, Proxy
from service.integrations.catalog_answer import describe
from service.integrations.declare.endpoint import Endpoint
from service.integrations.inbound import Inbound
from service.integrations.route_descriptions import (
    ANY_SCHEMA,
    APPROVALS,
    APPROVED,
    CONNECTED,
    DOOR,
    FAILURES,
    FRESH,
    HEALTH,
    ONCE,
    REFUSALS,
    AnyParameters,
    CatalogSchema,
    Envelope,
    PriceSchema,
)
from service.integrations.typed_query import parse_query
from service.limits.concurrency import CONCURRENCY
from service.web.bodies import parse_json, read_body
from service.web.edge import (
    answers,
    described_body,
    exists_for,
    idempotency_key,
    instances,
    refuses,
    takes,
)
from service.web.errors import (
    Forbidden,
    InvalidRequest,
    NotConfigured,
    RateLimited,
    TooLarge,
    UnknownEndpoint,
    UpstreamFailed,
    UpstreamTimedOut,
)

SCHEMA = "application/schema+json"

integrations = Blueprint("integrations", __name__, url_prefix="/api/integrations")


def envelop(_: Any, request: Request, __: Any, response: Response) -> None:
    """Add `success: false` to every error below our prefix, also if no route matched."""
    if response.status_code < 400 or not response.is_json:
        return
    if not f"{request.path}/".startswith(f"{integrations.url_prefix}/"):
        return
    error = response.get_json()
    if "success" not in error:
        response.set_data(jsonify({"success": False, **error}).get_data())


@integrations.get("/status")
@open_to("calls")
@refuses(RateLimited, UpstreamFailed, UpstreamTimedOut)
@answers(None, answer_schema={"type": "object", "additionalProperties": CONNECTED})
def status() -> Response:
    """List the caller's connections and what they allow

    A limited token sees only the integrations of its endpoints.
    """
    proxy = _proxy()
    if proxy.gateway:
        with CONCURRENCY.of(current_app).poll(g.caller.subject):
            return proxy.gateway.status(g.caller, g.token).response()
    return jsonify(proxy.status(g.caller))


@integrations.get("/health")
@answers(None, answer_schema=HEALTH)
def health() -> Response:
    """Report for each connected integration whether the caller's connection still works

    A connection is `failing` from the first failed refresh of its tokens until a refresh succeeds.
    A connection at the other instance of a gateway is not listed.
    """
    return jsonify(_proxy().connections.health(g.caller.subject))


@integrations.get("/catalog")
@open_to("calls")
@answers(None, answer_schema=CatalogSchema())
def catalog() -> Response:
    """List all endpoints, with their prices and whether a call asks the user first"""
    proxy = _proxy()
    return jsonify({"endpoints": [describe(proxy, item) for item in proxy.catalog]})


@integrations.get("/routes-schema")
@answers(None, media_type=SCHEMA, answer_schema=ANY_SCHEMA)
def routes_schema() -> Response:
    """Return one JSON Schema, with the body of every endpoint under each of its names"""
    title = "Bodies of the integration endpoints"
    return _schema(documents.schemas_by_name(_proxy().catalog, title, documents.body_schema))


@integrations.get("/answers-schema")
@answers(None, media_type=SCHEMA, answer_schema=ANY_SCHEMA)
def answers_schema() -> Response:
    """Return one JSON Schema, with the answer's `data` of every endpoint under each of its names"""
    title = "Answers of the integration endpoints"
    return _schema(documents.schemas_by_name(_proxy().catalog, title, documents.answer_schema))


def _schema(document: dict[str, Any]) -> Response:
    response = jsonify(document)
    response.content_type = SCHEMA
    return response


@integrations.get("/jobs/<job_id>", head=False)
@open_to("calls")
@refuses(*FAILURES)
@answers(None, answer_schema=Envelope())
def job(job_id: str) -> Response:
    """Return the state of one of the caller's jobs, and its result when it is done

    If the request to the vendor needs a consent of the user, the answer is the OAuth-required
    payload.
    """
    browser = secrets.token_urlsafe(32)
    result = _proxy().job(g.caller, g.token, job_id, browser)
    response = result.response()
    if result.consent:
        oauth.bind(response, browser)
    return response


@integrations.post("/price/<path:endpoint>")
@open_to("calls")
@described_body(AnyParameters())
@refuses(Forbidden, UnknownEndpoint, TooLarge, RateLimited, NotConfigured)
@answers(PriceSchema())
def price(endpoint: str) -> dict[str, Any]:
    """Return the most that a call with this body can cost, in credits

    The vendor is not called. A body that the call would refuse is refused.
    """
    proxy = _proxy()
    item = proxy.catalog.named(endpoint)
    permits.check_endpoint(g.caller.permit, item.name)
    limits = CONCURRENCY.of(current_app)
    with limits.call(g.caller.subject, item.vendor.integration):  # it may parse several MiB
        params, _ = validate_parameters(item, _reader(item)())
        proxy.check_allowed(item, params)
        return {"credits": to_credits(item.most(params))}


@integrations.post("/<path:endpoint>")
@open_to("calls")
@instances(lambda: documents.posts(_proxy().catalog))
@described_body(AnyParameters())
@takes(Idempotency_Key=ONCE, X_Approval=APPROVED, X_Door=DOOR, Cache_Control=FRESH)
@refuses(*REFUSALS, *FAILURES)
@answers(None, answer_schema=Envelope(), gives=documents.KEPT_ANSWER_HEADERS)
def post(endpoint: str) -> Response:
    """Call an endpoint; its parameters are in `routes-schema`

    With `Idempotency-Key` the same call is made, and charged, once in 24 hours.
    """
    proxy = _proxy()
    return _call(proxy, endpoint, _reader(proxy.catalog.named(endpoint)))


@integrations.get("/<path:endpoint>", head=False)
@open_to("calls")
@exists_for(lambda endpoint: _takes_get(endpoint))
@instances(lambda: documents.gets(_proxy().catalog))
@takes(Idempotency_Key=ONCE, X_Approval=APPROVED, X_Door=DOOR, Cache_Control=FRESH)
@refuses(*REFUSALS, *FAILURES)
@answers(None, answer_schema=Envelope(), gives=documents.KEPT_ANSWER_HEADERS)
def get(endpoint: str) -> Response:
    """Call an endpoint that only reads; its parameters are in the query"""
    proxy = _proxy()
    named = proxy.catalog.named(endpoint)
    query = current_request().args.to_dict(flat=False)
    return _call(proxy, endpoint, partial(parse_query, named, query))


def _reader(endpoint: Endpoint) -> Callable[[], dict[str, Any]]:
    """Read the body, and return a function that parses it."""
    request.max_content_length = endpoint.body_limit
    return partial(_object, read_body())


def _object(raw: bytes) -> dict[str, Any]:
    body = parse_json(raw)
    if not isinstance(body, dict):
        raise InvalidRequest("The body must be an object.", details={})
    return body


def _call(proxy: Proxy, endpoint: str, read: Callable[[], Mapping[str, Any]]) -> Response:
    request, g = current_request(), current_g()
    browser = secrets.token_urlsafe(32)  # a new one for each call, even if a cookie came
    headers = request.environ  # Werkzeug's headers take three calls of functions each
    approval = headers.get("HTTP_X_APPROVAL")
    inbound = Inbound(
        caller=g.caller,
        token=g.token,
        endpoint=endpoint,
        read=read,
        browser=browser,
        idempotency_key=idempotency_key(),
        approval=approval if approval in APPROVALS else None,
        request_id=g.request_id,
        fresh="HTTP_CACHE_CONTROL" in headers and bool(request.cache_control.no_cache),
        door="widget" if headers.get("HTTP_X_DOOR") == "widget" else None,
    )
    result = proxy.call(inbound)
    response = result.response()
    if result.consent:
        oauth.bind(response, browser)
    return response


def _takes_get(name: str) -> bool:
    """Return whether GET calls an endpoint. For an unknown name, so that it is a 404, True."""
    endpoint = _proxy().catalog.names.get(name)
    return endpoint is None or endpoint.access.gets


def _proxy() -> Proxy:
    return PROXY.of(current_service())
