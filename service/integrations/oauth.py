"""`/api/integrations/oauth/<integration>/…`: the vendor's redirect, the confirm page, disconnect.

Source: docs/contract.md, section 10.
"""

from collections.abc import Callable
from functools import partial
from urllib.parse import urlsplit

from flask import (
    Blueprint,
    Response,
    current_app,
    g,
    jsonify,
    make_response,
    render_template,
    request,
)
from marshmallow import Schema, fields
from sqlalchemy.exc import SQLAlchemyError

from service.app_keys import APP_SETTINGS
from service.auth.bearer import public
from service.integrations.calling.proxy import PROXY
from service.integrations.consent.connections import Connections
from service.integrations.consent.consents import Connected, Failed, Outcome, Unconfirmed
from service.web.edge import answers, refuses
from service.web.errors import (
    NotConfigured,
    NotFound,
    TooLarge,
    Unavailable,
    UpstreamFailed,
    UpstreamTimedOut,
    outage_error,
)
from service.web.other_origins import takes_opaque_origin

COOKIE_SECONDS = 3600
FORM_LIMIT = 4096  # bytes: anybody may post the form, and a large one takes long to parse
PATH = "/api/integrations/oauth"
COOKIE = {
    # A browser accepts this prefix only from the host itself, over https and for the path "/" (RFC
    # 6265bis, 4.1.3): no sibling below the same domain can set it.
    "https": ("__Host-oauth_browser", "/"),
    "http": ("oauth_browser", PATH),
}
HEADERS = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Opener-Policy": "unsafe-none",  # the page sends a message to its opener
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
}

AWAY = "The service can't reach its database. Please wait a moment, then start again in the app."
PAGE = {"text/html": {"type": "string"}}
CONFIRMATION = {"type": "object", "properties": {"token": {"type": "string"}}}

oauth = Blueprint("oauth", __name__, url_prefix=PATH, template_folder="templates")


class Disconnected(Schema):
    success = fields.Boolean(required=True)
    data = fields.Dict(required=True)


@oauth.get("/<integration>/callback", head=False)
@public
@takes_opaque_origin
@refuses(NotFound, NotConfigured)
@answers(None, others={400: PAGE, 503: PAGE})
def callback(integration: str) -> Response:
    """Receive the user from a vendor's consent page"""
    connections = _connections()
    consents = connections.consents(integration)
    state, code = request.args.get("state", ""), request.args.get("code")
    name, _ = COOKIE[_scheme()]
    browser = request.cookies.get(name)
    authority = connections.authority(integration)
    issuer = request.args.get("iss")
    finish = partial(consents.finish, state, code, browser, authority, issuer)
    return _page(integration, finish)


@oauth.post("/<integration>/callback")
@public
@takes_opaque_origin
@refuses(NotFound, TooLarge)
@answers(None, others={400: PAGE, 503: PAGE}, form=CONFIRMATION)
def confirm(integration: str) -> Response:
    """Connect the account: the form of the confirmation page"""
    request.max_content_length = FORM_LIMIT
    token = request.form.get("token", "")
    connections = _connections()
    authority = connections.authorities().get(integration)
    consents = connections.consents(integration)
    return _page(integration, partial(consents.confirm, token, authority))


@oauth.delete("/<integration>/disconnect")
@refuses(UpstreamFailed, UpstreamTimedOut)
@answers(None, answer_schema=Disconnected())
def disconnect(integration: str) -> Response:
    """Revoke and delete the caller's tokens; succeeds also if there are none"""
    _connections().disconnect(g.caller.subject, integration)
    gateway = PROXY.of(current_app).gateway
    if gateway:  # it makes the calls, and has their tokens
        return gateway.disconnect(g.token, integration).response()
    return jsonify({"success": True, "data": {"connected": False}})


def bind(response: Response, browser: str) -> None:
    """Set the cookie by which the browser that began a consent is recognised."""
    scheme = _scheme()
    name, path = COOKIE[scheme]
    response.set_cookie(
        name,
        browser,
        max_age=COOKIE_SECONDS,
        path=path,
        httponly=True,
        samesite="Lax",
        secure=scheme == "https",
    )


def _scheme() -> str:
    """Return the scheme of the address at which browsers reach us."""
    own_url = APP_SETTINGS.of(current_app).own_url
    return urlsplit(own_url).scheme


def _page(integration: str, step: Callable[[], Outcome]) -> Response:
    """Take a step of a consent, and show what has become of it."""
    context: dict[str, object]
    outcome, status = _outcome(step)
    match outcome:
        case Connected(email, is_open):
            name, context = "connected.html", {"email": email, "is_open": is_open}
        case Unconfirmed(token, user_id, email):
            name, context = "confirm.html", {"token": token, "user_id": user_id, "email": email}
        case Failed(reason):
            name, context = "failed.html", {"reason": reason}
    sandbox = APP_SETTINGS.of(current_app).sandbox
    page = render_template(name, integration=integration, sandbox=sandbox, **context)
    return make_response(page, status, HEADERS)


def _outcome(step: Callable[[], Outcome]) -> tuple[Outcome, int]:
    """Return the outcome of a step, and the status of its page.

    A person would see the JSON of an error, so an outage of the database is an outcome too.
    """
    try:
        outcome = step()
    except Unavailable:
        return Failed(AWAY), 503
    except SQLAlchemyError as error:
        if outage_error(error) is None:
            raise
        return Failed(AWAY), 503
    return outcome, 400 if isinstance(outcome, Failed) else 200


def _connections() -> Connections:
    return PROXY.of(current_app).connections
