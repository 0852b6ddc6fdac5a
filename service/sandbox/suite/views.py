"""The suite's APIs over HTTP: check the bearer and its scopes, then call the route's function."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from flask import Blueprint, Flask, Response, request

from service.sandbox.suite import calendar, drive, mail, people, tokens
from service.sandbox.suite.client import ACCOUNTS, API
from service.sandbox.suite.masks import apply_mask
from service.sandbox.suite.routes import (
    Answer,
    ApiError,
    ApiRequest,
    Media,
    Route,
    scope_missing,
    unauthenticated,
)

ROUTES = (*mail.ROUTES, *calendar.ROUTES, *drive.ROUTES, *people.ROUTES)


def blueprint(app: Flask) -> Blueprint:
    """Return the blueprint. `app` is the service, whose database has the suite's state."""
    suite = Blueprint("suite", __name__, url_prefix=API)
    for number, route in enumerate(ROUTES):
        view = _view(app, route)
        suite.add_url_rule(route.rule, f"route{number}", view, methods=[route.method])
    return suite


def _view(app: Flask, route: Route) -> Callable[..., Response]:
    def view(**path: str) -> Response:
        token = request.headers.get("Authorization", "").removeprefix("Bearer ")
        sent = request.get_data(), request.headers.get("Content-Type", "")
        query = request.args.to_dict(flat=False)
        with app.app_context():
            try:
                answer = _answer(route, _read_request(route, token, path, query, *sent))
            except ApiError as refused:
                return _refusal(refused)
        return _response(answer)

    return view


def _read_request(
    route: Route, token: str, path: Any, query: Any, body: bytes, kind: str
) -> ApiRequest:
    """Check the token and its scopes, and return the request. Raises `ApiError`."""
    holder = tokens.holder(token, ACCOUNTS)
    if holder is None:
        raise unauthenticated()
    if route.scopes.isdisjoint(holder.scopes):
        raise scope_missing()
    return ApiRequest(ACCOUNTS[holder.account], holder.scopes, path, query, body, kind)


def _answer(route: Route, api_request: ApiRequest) -> Answer:
    """Return the route's answer with its field mask applied. Raises `ApiError`."""
    answer, fields = route.answer(api_request), api_request.one("fields")
    return apply_mask(answer, fields) if fields and isinstance(answer, Mapping) else answer


def _response(answer: Answer) -> Response:
    if answer is None:
        return Response(status=204)
    if isinstance(answer, Media):
        return Response(answer.content, content_type=answer.type)
    return Response(json.dumps(answer), content_type="application/json; charset=UTF-8")


def _refusal(refused: ApiError) -> Response:
    response = _response(refused.body)
    response.status_code = refused.status
    words = {401: 'error="invalid_token"'}
    if refused.detail:
        words[403] = 'error="insufficient_scope"'
    if refused.status in words:
        realm = 'Bearer realm="https://sandbox.invalid/"'
        response.headers["WWW-Authenticate"] = f"{realm}, {words[refused.status]}"
    return response
