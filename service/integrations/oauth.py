"""`/api/integrations/oauth/<integration>/…`: the vendor's redirect, the confirm page, disconnect.

Source: contract section 10.
"""

from typing import Any

from flask import Blueprint, Response, current_app, g, make_response, render_template, request
from marshmallow import Schema, fields

from service.auth.bearer import public
from service.edge import answers, refuses
from service.errors import NotConfigured, NotFound, TooLarge, UpstreamFailed, UpstreamTimedOut
from service.integrations.connections import Connections
from service.integrations.consents import Connected, Failed, Outcome, Unconfirmed

COOKIE = "oauth_browser"
COOKIE_SECONDS = 3600
PATH = "/api/integrations/oauth"
HEADERS = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Opener-Policy": "unsafe-none",  # the opener is told, if there is one left
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; form-action 'self'; "
        "base-uri 'none'; frame-ancestors 'none'"
    ),
}

PAGE = {"text/html": {"type": "string"}}
CONFIRMATION = {"type": "object", "properties": {"token": {"type": "string"}}}

oauth = Blueprint("oauth", __name__, url_prefix=PATH, template_folder="templates")


class Disconnected(Schema):
    success = fields.Boolean(required=True)
    data = fields.Dict(required=True)


@oauth.get("/<integration>/callback")
@public
@refuses(NotFound, UpstreamFailed, UpstreamTimedOut, NotConfigured)
@answers(None, others={400: PAGE})
def callback(integration: str) -> Response:
    """Where a vendor sends the user back after its consent page"""
    connections = _connections()
    consents = connections.consents(integration)
    state, code = request.args.get("state", ""), request.args.get("code")
    browser = request.cookies.get(COOKIE)
    authority = connections.authority(integration)
    return _page(integration, consents.finish(state, code, browser, authority))


@oauth.post("/<integration>/callback")
@public
@refuses(NotFound, TooLarge)
@answers(None, others={400: PAGE}, form=CONFIRMATION)
def confirm(integration: str) -> Response:
    """Connect after all: the confirm page's form"""
    token = request.form.get("token", "")
    return _page(integration, _connections().consents(integration).confirm(token))


@oauth.delete("/<integration>/disconnect")
@refuses(NotConfigured)
@answers(Disconnected())
def disconnect(integration: str) -> dict[str, Any]:
    """Revoke and forget the caller's tokens; done also when there are none"""
    _connections().disconnect(g.caller.subject, integration)
    return {"success": True, "data": {"connected": False}}


def bind(response: Response, browser: str, secure: bool) -> None:
    """Give the browser the cookie by which a consent that it began is known again."""
    response.set_cookie(
        COOKIE,
        browser,
        max_age=COOKIE_SECONDS,
        path=PATH,
        httponly=True,
        samesite="Lax",
        secure=secure,
    )


def _page(integration: str, outcome: Outcome) -> Response:
    status = 200
    match outcome:
        case Connected(email):
            page = render_template("connected.html", integration=integration, email=email)
        case Unconfirmed(token, user_id, email):
            told = {"token": token, "user_id": user_id, "email": email}
            page = render_template("confirm.html", integration=integration, **told)
        case Failed(reason):
            page = render_template("failed.html", integration=integration, reason=reason)
            status = 400
    return make_response(page, status, HEADERS)


def _connections() -> Connections:
    return current_app.extensions["proxy"].connections
