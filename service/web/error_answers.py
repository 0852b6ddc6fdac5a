"""The answers to errors: `{"error": code, "message": text, …facts}`, whatever was raised."""

import structlog
from flask import Flask, Response, jsonify
from sqlalchemy.exc import SQLAlchemyError
from werkzeug.exceptions import HTTPException

from service.error_frames import drop_frames
from service.web.errors import (
    InvalidRequest,
    NotFound,
    ServiceError,
    Stalled,
    TooLarge,
    outage_error,
)

log = structlog.get_logger("errors")

NO_ROUTE = "There is no such address. /openapi.json lists all addresses."
HTTP_CODES = {404: NotFound.code, 405: "method_not_allowed", 413: TooLarge.code}
IMPLIED_METHODS = ("HEAD", "OPTIONS")  # which Flask adds to routes


def init_app(app: Flask) -> None:
    app.register_error_handler(Exception, answer_error)


def answer_error(error: Exception) -> Response:
    """Return the JSON answer for any exception. Unexpected ones are logged with their place."""
    response = _answer_to(error)
    drop_frames(error)
    return response


def _answer_to(error: Exception) -> Response:
    if isinstance(error, SQLAlchemyError):
        error = outage_error(error) or error
    if isinstance(error, ServiceError):
        return _answer(error.status, error.code, error.message, error.facts, error.headers)
    if isinstance(error, HTTPException) and error.code:
        return _answer_http(error, error.code)
    log.exception("unhandled")
    return _answer(500, ServiceError.code, ServiceError.message)


def _answer_http(error: HTTPException, status: int) -> Response:
    """Answer for werkzeug's errors: unknown route, wrong method, oversized body."""
    methods = sorted(getattr(error, "valid_methods", None) or ())
    messages = {404: NO_ROUTE, 405: _methods_sentence(methods), 413: TooLarge.message}
    messages |= {Stalled.status: Stalled.message}
    code = HTTP_CODES.get(status, InvalidRequest.code if status < 500 else ServiceError.code)
    headers = {"Allow": ", ".join(methods)} if methods else {}
    return _answer(status, code, messages.get(status) or error.name, headers=headers)


def _methods_sentence(methods: list[str]) -> str:
    *others, last = [name for name in methods if name not in IMPLIED_METHODS] or ["other methods"]
    return f"This address takes {', '.join(others) + ' and ' if others else ''}{last}."


def _answer(
    status: int,
    code: str,
    message: str,
    facts: dict[str, object] | None = None,
    headers: dict[str, str] | None = None,
) -> Response:
    response = jsonify({"error": code, "message": message, **(facts or {})})
    response.status_code = status
    response.headers.update(headers or {})
    return response
