"""Decide which pages of other origins may use the API.

A browser sends `Origin: null` for a page in a sandbox, such as a widget's, and for local files.
Such a page may not use the API: a widget's calls go through the page that hosts it.

Pages of the origins in `CORS_ORIGINS` may use it. Whether an answer lets a page read it depends on
the request's `Origin`, even with a single allowed origin: without the header, or with another
origin, the answer allows nobody. So all answers vary by it. Otherwise a cache could give a page an
answer that it has kept from an `<img>`, which sends no `Origin`. Source: Fetch Standard, "CORS
protocol and HTTP caches".
"""

import re
from collections.abc import Iterable
from typing import Any

from flask import Request, Response
from flask_cors import CORS

from service.app import Service
from service.web.errors import Forbidden

OPAQUE = "null"
PREFLIGHT_SECONDS = 7200  # for which a browser keeps the answer to a preflight; Chromium's maximum
# Headers of answers. A client of `/mcp` learns from the last one where it gets a token.
EXPOSED = ["X-Asst-Id", "X-Request-Id", "Retry-After", "Age", "X-Cache", "WWW-Authenticate"]
OPEN = ("/api/", "/mcp", "/.well-known/oauth-protected-resource")


def init_app(app: Service) -> None:
    """Register the check. It runs before the token is checked, so no answer depends on a token."""
    app.check_requests(_refuse)


def allow(app: Service, origins: Iterable[str]) -> None:
    """Let pages of these origins use the API and `/mcp`, and read who issues tokens for it."""
    # As patterns, because Flask-CORS reads the brackets of an IPv6 address as part of one.
    named = {"origins": [re.compile(re.escape(origin) + r"\Z") for origin in origins]}
    resources: Any = {re.compile(re.escape(path)): named for path in OPEN}
    CORS(
        app,
        resources=resources,
        expose_headers=EXPOSED,
        max_age=PREFLIGHT_SECONDS,
        vary_header=False,
    )
    app.finish_responses(_vary)


def _vary(_: Service, request: Request, __: Any, response: Response) -> None:
    if request.path.startswith(OPEN):
        response.vary.add("Origin")


def takes_opaque_origin(view: Any) -> Any:
    """Mark a view under `/api` that answers pages of an opaque origin, or refuses them itself."""
    view.takes_opaque_origin = True
    return view


def _refuse(app: Service, request: Request, _: Any) -> None:
    if not request.path.startswith("/api/"):
        return
    view = app.view_functions.get(request.endpoint or "")
    if not getattr(view, "takes_opaque_origin", False):
        refuse_opaque_origin(request)


def refuse_opaque_origin(request: Request) -> None:
    """Raise `Forbidden` if the request comes from a page of an opaque origin."""
    if request.environ.get("HTTP_ORIGIN") == OPAQUE:
        raise Forbidden(
            "A page in a sandbox may not call the API: let the page that hosts it call."
        )
