"""Authenticate requests. Routes under `/api` need a bearer token unless they are marked public.

Browsers may not store the answers of these routes, unless a view says otherwise. A limited token is
refused by every route that is not opened to its scope.
"""

from collections.abc import Callable
from typing import Any

from flask import Flask, Request, Response, current_app, g

from config import ConfigError, Settings
from service.app import Service
from service.auth import owner, permits, tokens, users
from service.auth.keys import KeySource
from service.auth.permits import Permit, Scope
from service.auth.tokens import VERIFIER
from service.current_request import current_g, current_request
from service.observing import attribution
from service.outbound.upstream import Upstream
from service.web.errors import Forbidden, Unauthorized

API = "/api/"  # the beginning of the paths that need a token
SUBPROTOCOL = "bearer."
ADMIN = "admin"


def init_app(app: Service) -> None:
    app.check_requests(_require_bearer)
    app.finish_responses(_forbid_storing)


def _forbid_storing(_: Service, request: Request, __: Any, response: Response) -> None:
    """Keep what a user may read out of the browser's store, where its next user could find it."""
    if request.path.startswith(API) and "Cache-Control" not in response.headers:
        response.headers["Cache-Control"] = "no-store"


def set_up(app: Flask, settings: Settings, upstream: Upstream) -> None:
    """Set the app's `VERIFIER`, `OWNER` and `OWNER_CHECK`.

    Raises `ConfigError` if no key for tokens is configured, or if the owner's token is invalid.
    """
    keys = KeySource(settings.auth_jwks_url, upstream) if settings.auth_jwks_url else None
    if not settings.auth_secret and not keys:
        raise ConfigError("AUTH_SECRET: must be set (or AUTH_JWKS_URL)")
    if settings.auth_secret and keys and not settings.auth_issuer:
        raise ConfigError("AUTH_ISSUER: must be set when AUTH_SECRET and AUTH_JWKS_URL both are")
    verifier = tokens.Verifier(settings, keys)
    owner.set_up(app, settings.owner_token, verifier)
    VERIFIER.set(app, verifier)


def public(view: Any) -> Any:
    """Mark a view under `/api` that needs no bearer token."""
    view.public = True
    return view


def open_to(*scopes: Scope) -> Callable[[Any], Any]:
    """Open a view to limited tokens of these scopes."""

    def mark(view: Any) -> Any:
        view.open_to = frozenset(scopes)
        return view

    return mark


def _require_bearer(app: Service, request: Request, g: Any) -> None:
    """Authenticate a request under `/api`, even if its route does not exist."""
    if not request.path.startswith(API) or request.method == "OPTIONS":
        return
    view = app.view_functions.get(request.endpoint or "")
    if not getattr(view, "public", False):
        _authenticate(app, request, g)


def require_admin() -> None:
    """Raise `Forbidden` unless the caller's role is `admin` now."""
    if current_request().method != "OPTIONS" and users.current_role(g.caller) != ADMIN:
        raise Forbidden()


def authenticate() -> None:
    """Set `g.caller`, `g.expires` (Unix time) and `g.token`.

    Raises `Unauthorized`, and `Forbidden` for a limited token if the route is not open to it.
    """
    _authenticate(current_app, current_request(), current_g())


def _authenticate(app: Flask, request: Request, g: Any) -> None:
    token = _bearer_token(request)
    if not token:
        raise Unauthorized()
    claims = VERIFIER.of(app).verify(token)
    attribution.bind(user=claims.subject)
    g.caller, g.expires, g.token = users.admit(claims), claims.expires, token
    if claims.permit:
        attribution.bind(token_id=claims.permit.token_id)
        _check_route(request, claims.permit)


def _check_route(request: Request, permit: Permit) -> None:
    """Raise `Forbidden` if the route is not open to the permit, or does not exist."""
    view = current_app.view_functions.get(request.endpoint or "")
    if permit.scope not in getattr(view, "open_to", ()):
        raise Forbidden(permits.CLOSED)


def _bearer_token(request: Request) -> str:
    """Return the token of the `Authorization` header, or "" if there is none.

    A WebSocket may send it as a subprotocol `bearer.<token>`, because browsers can't set headers.
    """
    header: str = request.environ.get("HTTP_AUTHORIZATION", "")
    scheme, _, token = header.partition(" ")
    if scheme.lower() == "bearer":
        return token.strip()
    if request.headers.get("Upgrade", "").lower() == "websocket":
        for name in request.headers.get("Sec-WebSocket-Protocol", "").split(","):
            if name.strip().startswith(SUBPROTOCOL):
                return name.strip().removeprefix(SUBPROTOCOL)
    return ""
