"""Validation once, at the edge: decorators that read a request through a marshmallow schema.

A view's decorators state its contract from top to bottom; `openapi.py` reads the same facts.
"""

import functools
import json
import re
from collections.abc import Callable
from typing import Any

from flask import Flask, Response, current_app, jsonify, request
from gunicorn.http.errors import ParseException
from marshmallow import Schema, ValidationError
from werkzeug.exceptions import HTTPException, MethodNotAllowed
from werkzeug.routing import Rule

from service.errors import InvalidRequest, NotFound, ServiceError, TooLarge

View = Callable[..., Any]

VALUES = 25_000  # in a JSON body
_TEXTS = re.compile(rb'"(?:[^"\\]|\\.)*+"', re.DOTALL)


def init_app(app: Flask) -> None:
    app.before_request(_refuse_nul)
    app.before_request(_refuse_method)
    app.after_request(_allow)


def _rule_of_path() -> Rule | None:
    """The most specific rule of the request's path, whatever its method."""
    adapter = current_app.url_map.bind("")
    for websocket in (True, False):
        try:
            return adapter.match(request.path, "OPTIONS", return_rule=True, websocket=websocket)[0]
        except HTTPException:
            continue
    return None


def _allowed() -> list[str]:
    rule = _rule_of_path()
    rules = current_app.url_map.iter_rules() if rule else ()
    return sorted({m for other in rules if other.rule == rule.rule for m in other.methods or ()})


def _refuse_method() -> None:
    """Keep a general rule from serving a path that has its own rule, with another method:
    `POST /api/integrations/status` is not a call of an endpoint `status`."""
    taken = request.url_rule
    if taken is None or not taken.arguments:
        return
    rule = _rule_of_path()
    if rule and rule.rule == taken.rule:
        return  # the usual case, in which the methods of all rules need not be collected
    if request.method not in (allowed := _allowed()):
        raise MethodNotAllowed(valid_methods=allowed)


def _allow(response: Response) -> Response:
    """Set `Allow` from the most specific rule: werkzeug adds the methods of general ones."""
    if response.status_code == 405 or (request.method == "OPTIONS" and "Allow" in response.headers):
        response.headers["Allow"] = ", ".join(_allowed())
    return response


def _refuse_nul() -> None:
    """PostgreSQL stores no NUL, so nothing with one in its path exists."""
    if "\x00" in request.path:
        raise NotFound()
    broken = [name for name, value in request.args.items(multi=True) if "\x00" in name + value]
    if broken:
        raise InvalidRequest(details={name[:100]: ["Must not contain NUL."] for name in broken})


def body(schema: Schema) -> Callable[[View], View]:
    """Pass the JSON object of the request, loaded through `schema`, as the view's first argument.

    An absent body counts as `{}`. Raises `InvalidRequest` with `details` per field.
    """

    def decorate(view: View) -> View:
        @functools.wraps(view)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            return view(load(schema, read_json()), *args, **kwargs)

        return _note(wrapped, body=schema, refusals=(TooLarge,))

    return decorate


def json_body(schema: Schema) -> Callable[[View], View]:
    """Pass the JSON of the request as it is: the room behind the view validates it.

    `schema` is only what the documents say of it.
    """

    def decorate(view: View) -> View:
        @functools.wraps(view)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            return view(read_json(), *args, **kwargs)

        return _note(wrapped, body=schema, refusals=(TooLarge,))

    return decorate


def query(schema: Schema) -> Callable[[View], View]:
    """Pass the query string, loaded through `schema`, as the view's first argument."""

    def decorate(view: View) -> View:
        @functools.wraps(view)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            return view(load(schema, request.args.to_dict()), *args, **kwargs)

        return _note(wrapped, query=schema)

    return decorate


def answers(schema: Schema | None, status: int = 200, **facts: Any) -> Callable[[View], View]:
    """Answer with what the view returns, as JSON with `status`; None for a response of its own."""

    def decorate(view: View) -> View:
        @functools.wraps(view)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            answer = view(*args, **kwargs)
            return answer if schema is None else (jsonify(answer), status)

        return _note(wrapped, answer=schema, status=status, **facts)

    return decorate


def described_body(schema: Schema) -> Callable[[View], View]:
    """Describe a body that the view reads by itself, for the OpenAPI document."""
    return lambda view: _note(view, body=schema)


def refuses(*errors: type[ServiceError]) -> Callable[[View], View]:
    """Name the errors that a view may answer with, for the OpenAPI document.

    Errors of every route of its kind need not be named: `openapi.py` adds them.
    """
    return lambda view: _note(view, refusals=errors)


def takes(**headers: str) -> Callable[[View], View]:
    """Name the request headers that the view reads, with a description: `If_Match="…"`."""
    named = {name.replace("_", "-"): about for name, about in headers.items()}
    return lambda view: _note(view, takes=named)


def read_json() -> Any:
    """The request's body as JSON; `{}` when there is none.

    Raises `InvalidRequest`, `TooLarge`.
    """
    raw = _whole_body()
    if not raw:
        return {}
    if not has_at_most(VALUES, raw):
        raise TooLarge(f"A body has at most {VALUES} values.", limit=VALUES)
    try:
        return json.loads(raw, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        raise InvalidRequest("The body is not valid JSON.", details={}) from None


def _whole_body() -> bytes:
    """Werkzeug ends a body of unknown length at the limit, as if it were whole: look behind it."""
    try:
        raw = request.get_data()
        if len(raw) == request.max_content_length and request.environ["wsgi.input"].read(1):
            raise TooLarge()
    except ParseException:
        raise InvalidRequest("The body's chunks are malformed.", details={}) from None
    return raw


def has_at_most(values: int, raw: bytes) -> bool:
    """Whether a JSON text has at most so many values; it is not parsed for that.

    To parse, check and write a mebibyte of empty lists takes half a second, and a hundredth of that
    for a mebibyte of one text. A list or an object counts twice. Marks within texts do not count.
    """

    def count(text: bytes) -> int:
        return text.count(b",") + text.count(b"[") + text.count(b"{")

    if count(raw) <= values:
        return True
    texts = (raw.count(b'"') - raw.count(b'\\"')) // 2  # keys are texts, too
    return texts <= 2 * values and count(_TEXTS.sub(b"", raw)) <= values


def load(schema: Schema, data: Any) -> dict[str, Any]:
    """`data` through `schema`; raises `InvalidRequest` with the errors of every field."""
    try:
        return schema.load(data)
    except ValidationError as error:
        raise InvalidRequest(details=error.normalized_messages()) from None


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _note(view: View, **facts: Any) -> View:
    known = getattr(view, "contract", {})
    facts["refusals"] = (*known.get("refusals", ()), *facts.get("refusals", ()))
    view.contract = {**known, **facts}  # type: ignore[attr-defined]
    return view
