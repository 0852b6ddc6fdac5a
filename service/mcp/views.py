"""`POST /mcp`, and the metadata that tells clients who issues tokens.

Source: docs/contract.md, section 16; RFC 9728.
"""

from typing import Any

from flask import Blueprint, Response, current_app, g, jsonify, request
from marshmallow import Schema, fields, validate

from config import Settings
from service.app_keys import APP_SETTINGS
from service.auth import bearer
from service.auth.users import NOT_ADMITTED
from service.lifecycle import LIFECYCLE
from service.mcp import gate, message
from service.mcp.delivery import ResultDelivery
from service.mcp.refusal import PARSE_ERROR, RpcError
from service.mcp.results import response
from service.mcp.server import MCP_SERVER
from service.observing import attribution
from service.web.bodies import parse_json, read_body
from service.web.edge import answers, described_body, refuses, takes
from service.web.errors import (
    Draining,
    Forbidden,
    InvalidRequest,
    NotFound,
    TooLarge,
    Unauthorized,
    Unavailable,
)
from service.web.event_streams import EVENTS

PATH = "/mcp"
METADATA = "/.well-known/oauth-protected-resource"
HOW_TO_AUTHENTICATE = "Send a valid token in the header `Authorization: Bearer <token>`."

mcp = Blueprint("mcp", __name__)


class MessageSchema(Schema):
    """A message of JSON-RPC 2.0. A notification has no id."""

    class Meta:
        unknown = "include"

    jsonrpc = fields.String(required=True, validate=validate.Equal("2.0"))
    method = fields.String(required=True)
    params = fields.Dict(keys=fields.String())


class ProtectedResource(Schema):
    resource = fields.URL(required=True)
    authorization_servers = fields.List(fields.URL(), required=True)
    bearer_methods_supported = fields.List(fields.String(), required=True)


RESPONSE = {
    "type": "object",
    "required": ["jsonrpc", "id"],
    "properties": {
        "jsonrpc": {"const": "2.0"},
        "id": {"type": ["string", "integer", "null"]},
        "result": {"type": "object"},
        "error": {"type": "object", "required": ["code", "message"]},
    },
}
SUCCESS = {gate.JSON: RESPONSE, EVENTS: {"type": "string"}}
REFUSED = {gate.JSON: RESPONSE}


@mcp.before_request
def admit() -> None:
    """Check the request's host and origin, then its token. Preflights have no token."""
    if request.path != PATH:
        return
    settings = APP_SETTINGS.of(current_app)
    gate.check_host(settings, request.host)
    gate.check_origin(settings, request.headers.get("Origin"))
    if request.method != "OPTIONS":
        _authenticate(settings)


def _authenticate(settings: Settings) -> None:
    try:
        bearer.authenticate()
    except Unauthorized as refusal:
        messages = {Unauthorized.message: HOW_TO_AUTHENTICATE, NOT_ADMITTED: NOT_ADMITTED}
        error = Unauthorized(
            messages.get(refusal.message, f"{refusal.message} {HOW_TO_AUTHENTICATE}")
        )
        if issuer_of(settings):
            url = f"{settings.own_url}{METADATA}{PATH}"
            error.headers = {"WWW-Authenticate": f'Bearer resource_metadata="{url}"'}
        raise error from None


@mcp.errorhandler(RpcError)
def refuse(error: RpcError) -> tuple[Response, int]:
    return jsonify(error.response), error.status


@mcp.post(PATH)
@described_body(MessageSchema())
@takes(MCP_Protocol_Version="A revision of the protocol.")
@refuses(Unauthorized, Forbidden, *gate.FORMS, TooLarge, Draining, Unavailable)
@answers(
    None,
    others={200: SUCCESS, 202: {}, 400: REFUSED, 404: REFUSED},
    security=[{"bearer": []}],
)
def receive() -> Response:
    """One message of the Model Context Protocol, in any of the revisions that are served

    A request is answered with JSON, or with a stream of events if it takes long and the client
    accepts one. Notifications and responses get 202.
    """
    gate.check_forms(request.accept_mimetypes, request.mimetype)
    received = message.read(_json(), request.headers)
    attribution.bind(door="mcp", rpc_method=received.method_label)
    if not received.expects_answer:
        return Response(status=202)
    server = MCP_SERVER.of(current_app)
    if received.method != "tools/call":
        return jsonify(response(received, server.answer(received)))
    if LIFECYCLE.of(current_app).draining:
        raise Draining()
    call = server.call(received, g.caller, g.token)
    attribution.bind(tool=call.offer.tool.name)
    streams = gate.takes_events(request.accept_mimetypes)
    # The client's connection, which shows when the client leaves; missing without gunicorn.
    sock = request.environ.get("gunicorn.socket")
    delivery = ResultDelivery(received, streams, sock, server.calls, call.offer.effects.reads)
    return delivery.carry(call.make)


def _json() -> Any:
    try:
        raw = read_body()
        if not raw:
            raise InvalidRequest("The body is empty.")
        return parse_json(raw)
    except InvalidRequest as error:
        raise RpcError(PARSE_ERROR, error.message) from None


@mcp.get(METADATA)
@mcp.get(f"{METADATA}{PATH}", endpoint="metadata_of_mcp")
@refuses(NotFound)
@answers(ProtectedResource())
def metadata() -> dict[str, Any]:
    """Which authorization server issues tokens for `/mcp`, if there is one"""
    settings = APP_SETTINGS.of(current_app)
    issuer = issuer_of(settings)
    if issuer is None:
        raise NotFound("This service has no authorization server. " + HOW_TO_AUTHENTICATE)
    return {
        "resource": settings.own_url + PATH,
        "authorization_servers": [issuer],
        "bearer_methods_supported": ["header"],
    }


def issuer_of(settings: Settings) -> str | None:
    """Return `AUTH_ISSUER` if it is an address, as an authorization server's is; else None."""
    issuer = settings.auth_issuer or ""
    return issuer if issuer.startswith(("https://", "http://")) else None
