"""Refuses the API to pages of an opaque origin.

A browser says `Origin: null` for a page in a sandbox, as a widget's is, and for local files. Such a
page has no business with the API: a widget's calls go through the page that hosts it.
"""

from typing import Any

from flask import Request

from service.app import Service
from service.web.errors import Forbidden

OPAQUE = "null"


def init_app(app: Service) -> None:
    """Register the check. It comes before that of the token, so that no answer tells of a token."""
    app.check_requests(_refuse)


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
    """Raises `Forbidden` if the request comes from a page of an opaque origin."""
    if request.environ.get("HTTP_ORIGIN") == OPAQUE:
        raise Forbidden(
            "A page in a sandbox may not call the API: let the page that hosts it call."
        )
