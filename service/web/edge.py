"""Decorators that validate requests with marshmallow schemas, before a view is called.

The decorators of a view state its contract, from which `openapi.py` builds the document.
"""

from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any

from flask import jsonify
from marshmallow import Schema, ValidationError

from service.current_request import current_request
from service.web.bodies import read_json
from service.web.errors import InvalidRequest, ServiceError, TooLarge
from service.web.fields import KEY, KEY_RULE, KEY_SCHEMA
from service.web.repeated_names import refuse_repeated

View = Callable[..., Any]


def body(schema: Schema) -> Callable[[View], View]:
    """Pass the JSON object of the request, loaded by `schema`, as the view's first argument.

    A missing body counts as `{}`. Raises `InvalidRequest` with `details` per field.
    """

    def decorate(view: View) -> View:
        @wraps(view)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            return view(load(schema, read_json()), *args, **kwargs)

        return _add_contract(wrapped, body=schema, refusals=(TooLarge,))

    return decorate


class EmptyBody(Schema):
    """An empty object, or no body: for a request that has all parameters in its path."""


def without_body(view: View) -> View:
    """Refuse a body with fields, which a client may regard as parameters (`InvalidRequest`)."""
    schema = EmptyBody()

    @wraps(view)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        load(schema, read_json())
        return view(*args, **kwargs)

    return _add_contract(wrapped, body=schema, refusals=(TooLarge,))


def json_body(schema: Schema) -> Callable[[View], View]:
    """Pass the JSON of the request without validation. The code that the view calls validates it.

    `schema` is for the OpenAPI document only.
    """

    def decorate(view: View) -> View:
        @wraps(view)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            return view(read_json(), *args, **kwargs)

        return _add_contract(wrapped, body=schema, refusals=(TooLarge,))

    return decorate


def idempotency_key() -> str | None:
    """Return the `Idempotency-Key` of the request, or None. Raises `InvalidRequest`."""
    key: str | None = current_request().environ.get("HTTP_IDEMPOTENCY_KEY")
    if key is not None and not KEY.fullmatch(key):
        raise InvalidRequest(details={"Idempotency-Key": [KEY_RULE]})
    return key


def query(schema: Schema) -> Callable[[View], View]:
    """Pass the query string, loaded by `schema`, as the view's first argument.

    Raises `InvalidRequest`, also for a repeated name, of which one value would be ignored.
    """

    def decorate(view: View) -> View:
        @wraps(view)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            given = current_request().args
            refuse_repeated(given.lists())
            return view(load(schema, given.to_dict()), *args, **kwargs)

        return _add_contract(wrapped, query=schema)

    return decorate


def answers(schema: Schema | None, status: int = 200, **facts: Any) -> Callable[[View], View]:
    """Answer with the view's return value as JSON and `status`.

    With None as schema, the view returns a response itself. `facts` describe it for `openapi.py`:
    `answer_schema`, `media_type` (one or a tuple), `empty` (no content), `gives` (headers),
    `others` (contents by media type, by status), `form` (the JSON Schema of a form that the view
    reads) and `security` (in place of the bearer token).
    """

    def decorate(view: View) -> View:
        @wraps(view)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            answer = view(*args, **kwargs)
            return answer if schema is None else (jsonify(answer), status)

        return _add_contract(wrapped, answer=schema, status=status, **facts)

    return decorate


def described_body(schema: Schema) -> Callable[[View], View]:
    """Describe a body that the view reads itself, for the OpenAPI document."""
    return lambda view: _add_contract(view, body=schema)


def refuses(*errors: type[ServiceError]) -> Callable[[View], View]:
    """List the errors with which a view may answer, for the OpenAPI document.

    `openapi.py` adds the errors that all routes of a kind have in common.
    """
    return lambda view: _add_contract(view, refusals=errors)


def takes(**headers: str) -> Callable[[View], View]:
    """Describe the request headers that the view reads: `If_Match="…"`.

    `idempotency_key` reads an `Idempotency_Key`.
    """
    described = {
        name.replace("_", "-"): {
            "schema": KEY_SCHEMA if name == "Idempotency_Key" else {"type": "string"},
            "description": about,
        }
        for name, about in headers.items()
    }
    return lambda view: _add_contract(view, takes=described)


def instances(list_them: Callable[[], Iterable[Any]]) -> Callable[[View], View]:
    """Describe the operations of a general route separately in the OpenAPI document.

    `list_them` returns instances of `openapi.Instance`; it is called within the app's context.
    """
    return lambda view: _add_contract(view, instances=list_them)


def exists_for(exists: Callable[..., bool]) -> Callable[[View], View]:
    """Answer 405 if `exists` returns False for the arguments in the path."""
    return lambda view: _add_contract(view, exists=exists)


def load(schema: Schema, data: Any) -> dict[str, Any]:
    """Load `data` by `schema`. Raises `InvalidRequest` with the errors of every field."""
    try:
        loaded: dict[str, Any] = schema.load(data)
    except ValidationError as error:
        raise InvalidRequest(details=error.normalized_messages()) from None
    return loaded


def _add_contract(view: View, **facts: Any) -> View:
    contract = getattr(view, "contract", {})
    facts["refusals"] = (*contract.get("refusals", ()), *facts.get("refusals", ()))
    view.contract = {**contract, **facts}  # type: ignore[attr-defined]
    return view
