"""The request that a greenlet is working on, as plain objects.

Flask's `request` and `g` look themselves up at each use of an attribute, which takes four function
calls. Code that runs in every request looks them up once.
"""

from typing import Any

from flask import Flask, Request, current_app, g, request
from flask.ctx import RequestContext
from flask.globals import request_ctx


def current_request() -> Request:
    found: Request = request._get_current_object()  # type: ignore[attr-defined]
    return found


def current_g() -> Any:
    """Return the object behind `g`, which holds facts of the request."""
    return g._get_current_object()


def current_service() -> Flask:
    """Return the app as a plain object, instead of Flask's `current_app`."""
    found: Flask = current_app._get_current_object()  # type: ignore[attr-defined]
    return found


def current_context() -> RequestContext:
    """Return Flask's context of the request."""
    found: RequestContext = request_ctx._get_current_object()  # type: ignore[attr-defined]
    return found
