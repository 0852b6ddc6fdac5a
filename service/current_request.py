"""The request that a greenlet is working on, as plain objects.

Flask's `request` and `g` look themselves up at each use of an attribute, which is four calls of
functions. What every request runs through looks them up once.
"""

from typing import Any

from flask import Flask, Request, current_app, g, request
from flask.ctx import RequestContext
from flask.globals import request_ctx


def current_request() -> Request:
    found: Request = request._get_current_object()  # type: ignore[attr-defined]
    return found


def current_g() -> Any:
    """The object behind `g`: what is known of the request."""
    return g._get_current_object()  # type: ignore[attr-defined]


def current_service() -> Flask:
    """The app as a plain object, instead of Flask's `current_app`."""
    return current_app._get_current_object()  # type: ignore[attr-defined, no-any-return]


def current_context() -> RequestContext:
    """Flask's context of the request: what it knows beside the request itself."""
    found: RequestContext = request_ctx._get_current_object()  # type: ignore[attr-defined]
    return found
