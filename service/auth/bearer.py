"""The door of `/api`: every route under it needs a bearer token, unless it is marked public."""

from typing import Any

from flask import Flask, current_app, g, request

from config import ConfigError, Settings
from service import attribution
from service.auth import tokens, users
from service.auth.keys import KeySource
from service.auth.users import Caller
from service.errors import Unauthorized, Unavailable
from service.upstream import Upstream

SUBPROTOCOL = "bearer."


def init_app(app: Flask) -> None:
    app.before_request(require_bearer)


def open_door(app: Flask, settings: Settings, upstream: Upstream) -> None:
    """`app.extensions["verifier"]`, and `["owner"]`, whose account pays where no caller's does.

    Raises `ConfigError` when nothing could verify a token, or the owner's token is not one.
    """
    keys = KeySource(settings.auth_jwks_url, upstream) if settings.auth_jwks_url else None
    if not settings.auth_secret and not keys:
        raise ConfigError("AUTH_SECRET: must be set (or AUTH_JWKS_URL)")
    if settings.auth_secret and keys and not settings.auth_issuer:
        raise ConfigError("AUTH_ISSUER: must be set when AUTH_SECRET and AUTH_JWKS_URL both are")
    verifier = tokens.Verifier(settings, keys)
    app.extensions["owner"] = _check_owner(settings, verifier)
    app.extensions["verifier"] = verifier


def _check_owner(settings: Settings, verifier: tokens.Verifier) -> Caller:
    if not settings.owner_token:
        raise ConfigError("OWNER_TOKEN: must be set (flask token issue makes one)")
    try:
        claims = verifier.verify(settings.owner_token)
    except Unauthorized:
        reason = "must be a valid, unexpired token (flask token issue makes one)"
        raise ConfigError(f"OWNER_TOKEN: {reason}") from None
    except Unavailable:
        return _unverified(settings.owner_token)
    return Caller(claims.subject, claims.role, claims.issued)


def _unverified(token: str) -> Caller:
    """The identity provider is down: starting matters more than the owner's signature."""
    _, claims = tokens.peek(token)
    subject, role = claims.get("sub"), claims.get("role", "user")
    if not isinstance(subject, str) or not 0 < len(subject) <= tokens.SUBJECT_LIMIT:
        raise ConfigError("OWNER_TOKEN: must have a subject")
    return Caller(subject, str(role), tokens.issued(claims))


def public(view: Any) -> Any:
    """Mark a view under `/api` that needs no bearer."""
    view.public = True
    return view


def require_bearer() -> None:
    """Sets `g.caller`, or raises `Unauthorized`; also for routes that do not exist."""
    if not request.path.startswith("/api/") or request.method == "OPTIONS":
        return
    view = current_app.view_functions.get(request.endpoint or "")
    if getattr(view, "public", False):
        return
    token = _presented()
    if not token:
        raise Unauthorized()
    claims = current_app.extensions["verifier"].verify(token)
    attribution.bind(user=claims.subject)
    g.caller, g.expires, g.token = users.admit(claims), claims.expires, token


def _presented() -> str:
    """From the header; or, for a WebSocket, from a subprotocol `bearer.<token>`, because a browser
    can't set headers there."""
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return token.strip()
    if request.headers.get("Upgrade", "").lower() == "websocket":
        for offered in request.headers.get("Sec-WebSocket-Protocol", "").split(","):
            if offered.strip().startswith(SUBPROTOCOL):
                return offered.strip().removeprefix(SUBPROTOCOL)
    return ""
