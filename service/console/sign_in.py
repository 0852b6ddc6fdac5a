"""`/console/…`: sign in at the identity provider, the page's token, sign out.

Only these routes read the session's cookie, and no route under `/api` does.
Source: docs/contract.md, section 19.
"""

from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode, urlsplit

import structlog
from flask import Blueprint, Response, current_app, make_response, redirect, request
from marshmallow import Schema, fields

from config import Settings
from service.app_keys import APP_SETTINGS
from service.sign_in.acceptance import TokensNotAccepted
from service.sign_in.code_flow import SIGN_IN_SECONDS, SIGN_INS, SignInFailed, SignIns
from service.sign_in.sessions import LIFETIME, SESSIONS, Sessions
from service.times import timestamp
from service.web.edge import answers, refuses, without_body
from service.web.errors import Forbidden, NotFound, Unauthorized, Unavailable
from service.web.origin import own_origin

HEADERS = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
SESSION, UNDERWAY = "console_session", "console_sign_in"

log = structlog.get_logger("sign-in")

sign_in = Blueprint("sign_in", __name__, url_prefix="/console")


class PageToken(Schema):
    token = fields.String(required=True)
    expiresAt = fields.String(required=True, metadata={"format": "date-time"})
    refreshIn = fields.Float(
        required=True,
        allow_none=True,
        metadata={"description": "Seconds until there is a newer one; null if there will be none."},
    )


class SignedOut(Schema):
    endSession = fields.String(
        required=True,
        allow_none=True,
        metadata={"description": "Where to sign out of the identity provider too."},
    )


@sign_in.after_request
def protect(response: Response) -> Response:
    """Set the headers. An ended session keeps its cookie.

    The answer may arrive after the answer to a new sign-in in another tab, whose cookie has the
    same name.
    """
    response.headers.update(HEADERS)
    return response


@sign_in.get("/sign-in")
@refuses(NotFound)
@answers(None, 303, empty=True)
def begin() -> Response:
    """Sign in: redirects to the identity provider"""
    try:
        begun = _sign_ins().begin()
    except SignInFailed as failure:
        return _report_failure(failure)
    response = make_response(redirect(begun.url, 303))
    _set_cookie(response, UNDERWAY, begun.cookie, SIGN_IN_SECONDS)
    return response


@sign_in.get("/callback")
@refuses(NotFound)
@answers(None, 303, empty=True)
def callback() -> Response:
    """Receive the person from the identity provider; redirects to the console"""
    try:
        cookie, before = (request.cookies.get(_name(name)) for name in (UNDERWAY, SESSION))
        session_id = _sign_ins().finish(request.args.to_dict(), cookie or "", before)
    except SignInFailed as failure:
        response = _report_failure(failure)
        if failure.problem == "lost":  # the cookie belongs to another sign-in, which may succeed
            return response
    else:
        response = _to_page()
        _set_cookie(response, SESSION, session_id, int(LIFETIME.total_seconds()))
    _delete_cookie(response, UNDERWAY)
    return response


@sign_in.post("/token")
@without_body
@refuses(NotFound, Unauthorized, Forbidden, Unavailable, TokensNotAccepted)
@answers(PageToken())
def page_token() -> dict[str, Any]:
    """Return the bearer token of the browser's session, refreshed shortly before its end"""
    _refuse_other_origins()
    bearer = _sessions().bearer(request.cookies.get(_name(SESSION), ""))
    expires_at = timestamp(datetime.fromtimestamp(bearer.expires, UTC))
    return {"token": bearer.token, "expiresAt": expires_at, "refreshIn": bearer.refresh_in}


@sign_in.post("/sign-out")
@without_body
@refuses(NotFound, Forbidden, Unavailable)
@answers(None, answer_schema=SignedOut())
def sign_out() -> Response:
    """End the browser's session; succeeds also if there is none"""
    _refuse_other_origins()
    response = make_response({"endSession": _end_session()})
    _delete_cookie(response, SESSION)
    return response


def sign_in_state() -> tuple[bool, bool]:
    """Return whether people can sign in at an identity provider, and whether this browser has."""
    if SESSIONS.of(current_app) is None:
        return False, False
    return True, _name(SESSION) in request.cookies


def _end_session() -> str | None:
    session_id = request.cookies.get(_name(SESSION))
    return _sessions().end(session_id, f"{_settings().own_url}/") if session_id else None


def _refuse_other_origins() -> None:
    """Raise `Forbidden` if a request comes from another site, which must not use the cookie.

    Browsers send the origin. Source: Fetch, "Origin"; Fetch Metadata, "Sec-Fetch-Site".
    """
    own = own_origin(_settings(), request.scheme, request.host)
    site = request.headers.get("Sec-Fetch-Site", "same-origin")
    if request.headers.get("Origin") != own or site != "same-origin":
        raise Forbidden("Only the console's own page may ask for this.")


def _report_failure(failure: SignInFailed) -> Response:
    """Log the cause for operators, and redirect to the page, which shows a sentence for people."""
    if failure.problem != "denied":
        log.warning("sign-in failed", problem=failure.problem, why=failure.why)
    return _to_page(failure.problem)


def _to_page(problem: str = "") -> Response:
    query = f"?{urlencode({'sign-in': problem})}" if problem else ""
    return make_response(redirect(f"/{query}", 303))


def _is_https() -> bool:
    return urlsplit(_settings().own_url).scheme == "https"


def _name(cookie: str) -> str:
    """Return a cookie's name. Browsers accept the prefix only from the host itself, over https."""
    return f"__Host-{cookie}" if _is_https() else cookie


def _set_cookie(response: Response, name: str, value: str, seconds: int) -> None:
    given: Any = {"path": "/", "httponly": True, "samesite": "Lax", "secure": _is_https()}
    response.set_cookie(_name(name), value, max_age=seconds, **given)


def _delete_cookie(response: Response, name: str) -> None:
    _set_cookie(response, name, "", 0)


def _settings() -> Settings:
    return APP_SETTINGS.of(current_app)


def _sessions() -> Sessions:
    sessions = SESSIONS.of(current_app)
    if sessions is None:
        raise NotFound("Signing in here needs CONSOLE_OIDC_ISSUER, which is not set.")
    return sessions


def _sign_ins() -> SignIns:
    _sessions()
    sign_ins = SIGN_INS.of(current_app)
    assert sign_ins
    return sign_ins
