"""Refuses the API to pages of an opaque origin.

A browser says `Origin: null` for a page in a sandbox, as a widget's is, and for local files. Such a
page has no business with the API: a widget's calls go through the page that hosts it.
"""

from typing import Any

from flask import Flask, current_app

from service.current_request import current_request
from service.web.errors import Forbidden

OPAQUE = "null"


def init_app(app: Flask) -> None:
    """Register the check. It comes before that of the token, so that no answer tells of a token."""
    app.before_request(_refuse)


def takes_opaque_origin(view: Any) -> Any:
    """Mark a view under `/api` that answers pages of an opaque origin, or refuses them itself."""
    view.takes_opaque_origin = True
    return view


def _refuse() -> None:
    request = current_request()
    if not request.path.startswith("/api/"):
        return
    view = current_app.view_functions.get(request.endpoint or "")
    if not getattr(view, "takes_opaque_origin", False):
        refuse_opaque_origin()


def refuse_opaque_origin() -> None:
    """Raises `Forbidden` if the request comes from a page of an opaque origin."""
    if current_request().headers.get("Origin") == OPAQUE:
        raise Forbidden(
            "A page in a sandbox may not call the API: let the page that hosts it call."
        )
