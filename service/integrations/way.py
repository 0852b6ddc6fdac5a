"""What a call needs to know of who makes it, and what becomes of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from flask import Response, jsonify

from service.auth.users import Caller


@dataclass(frozen=True)
class Request:
    """`token` is the caller's bearer as it came. `browser` is the cookie that binds a consent to
    this browser, `approval` the decision that let the call through, if a host says so."""

    caller: Caller
    token: str
    endpoint: str
    body: Mapping[str, Any]
    browser: str
    idempotency_key: str | None = None
    approval: str | None = None
    request_id: str = ""


@dataclass(frozen=True)
class Told:
    """What a client gets: status, envelope, headers; `consent` as in `Answer`, if this is ours."""

    status: int
    envelope: Mapping[str, Any]
    headers: Mapping[str, str] = field(default_factory=dict)
    consent: bool = False


@dataclass(frozen=True)
class Answer:
    """`data` of the envelope; with `consent`, it is the OAuth-required payload."""

    data: Any
    consent: bool = False


def told_response(told: Told) -> Response:
    response = jsonify(told.envelope)
    response.status_code = told.status
    response.headers.update(told.headers)
    return response
