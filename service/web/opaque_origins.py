"""Refuses the API to pages of an opaque origin.

A browser says `Origin: null` for a page in a sandbox, as a widget's is, and for local files. Such a
page has no business with the API: a widget's calls go through the page that hosts it.
"""

from typing import Any

from flask import Flask, current_app, request

from service.web.errors import Forbidden

OPAQUE = "null"


def init_app(app: Flask) -> None:
    """Register the check. It comes before that of the token, so that no answer tells of a token."""
    app.before_request(_refuse)


def takes_opaque_origin(view: Any) -> Any:
    """Mark a view under `/api` that a form of a page without referrer is sent to."""
    view.takes_opaque_origin = True
    return view


def _refuse() -> None:
    if not request.path.startswith("/api/") or request.headers.get("Origin") != OPAQUE:
        return
    view = current_app.view_functions.get(request.endpoint or "")
    if not getattr(view, "takes_opaque_origin", False):
        raise Forbidden(
            "A page in a sandbox may not call the API: let the page that hosts it call."
        )
