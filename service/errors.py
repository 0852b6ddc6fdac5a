"""What can go wrong for a caller, and the one handler that says so.

    ServiceError                     status  code
    ├── InvalidRequest               400     invalid_request      details per field
    │   └── InvalidModel             400     invalid_model
    ├── Unauthorized                 401     unauthorized
    ├── InsufficientCredits          402     insufficient_credits needed, available
    ├── Forbidden                    403     forbidden
    ├── NotFound                     404     not_found
    │   └── UnknownEndpoint          404     unknown_endpoint     nearest names
    ├── Stalled                      408     invalid_request      the body did not arrive
    ├── Conflict                     409     conflict
    ├── TooLarge                     413     too_large
    ├── RateLimited                  429     rate_limited         Retry-After
    ├── UpstreamFailed               502     upstream_provider_error  upstreamStatus
    ├── UpstreamTimedOut             504     upstream_timeout
    ├── NotConfigured                503     not_configured       names the setting
    ├── Draining                     503     draining             this worker is ending
    └── Unavailable                  503     unavailable          something we need is down

Views and domain modules only raise. The body is `{"error": code, "message": text, …facts}`.
"""

from itertools import islice

import structlog
from flask import Flask, Response, jsonify
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from werkzeug.exceptions import HTTPException

from service import database

log = structlog.get_logger("errors")


class ServiceError(Exception):
    """An answer to the caller: `facts` join the body, `headers` the response."""

    status = 500
    code = "internal_error"
    message = "Something went wrong on our side."
    headers: dict[str, str] = {}

    def __init__(self, message: str | None = None, **facts: object) -> None:
        super().__init__(message or self.message)
        self.message = message or self.message
        self.facts = facts


class InvalidRequest(ServiceError):
    status = 400
    code = "invalid_request"
    message = "The request is not valid."
    most = 100  # fields in `details`: a body may have thousands of unknown ones

    def __init__(self, message: str | None = None, **facts: object) -> None:
        details = facts.get("details")
        if isinstance(details, dict):
            facts["details"] = dict(islice(details.items(), self.most))
        super().__init__(message, **facts)


class InvalidModel(InvalidRequest):
    code = "invalid_model"


class Unauthorized(ServiceError):
    status = 401
    code = "unauthorized"
    message = "A valid bearer token is needed."
    headers = {"WWW-Authenticate": "Bearer"}


class InsufficientCredits(ServiceError):
    """Both in credits; `available` is None where somebody else, the owner, pays."""

    status = 402
    code = "insufficient_credits"
    message = "There are not enough credits for this."

    def __init__(self, needed: float, available: float | None) -> None:
        facts = {} if available is None else {"available": available}
        super().__init__(needed=needed, **facts)


class Forbidden(ServiceError):
    status = 403
    code = "forbidden"
    message = "Your role does not allow this."


class NotFound(ServiceError):
    """One text for what is absent and for what belongs to somebody else."""

    status = 404
    code = "not_found"
    message = "There is nothing here that you can see."


class UnknownEndpoint(NotFound):
    code = "unknown_endpoint"
    message = "There is no endpoint of that name."


class Stalled(ServiceError):
    """The body did not arrive in time: serving/worker.py ends the wait by werkzeug's error."""

    status = 408
    code = "invalid_request"
    message = "Request Timeout"


class Conflict(ServiceError):
    status = 409
    code = "conflict"
    message = "The request conflicts with what is stored."


class TooLarge(ServiceError):
    status = 413
    code = "too_large"
    message = "The request is too large."


class RateLimited(ServiceError):
    status = 429
    code = "rate_limited"
    message = "That was too much at once. Please wait a little."
    headers = {"Retry-After": "5"}


class UpstreamFailed(ServiceError):
    """`upstreamStatus` is the upstream's HTTP status, None where there was none."""

    status = 502
    code = "upstream_provider_error"
    message = "The upstream failed to answer this."


class UpstreamTimedOut(ServiceError):
    status = 504
    code = "upstream_timeout"
    message = "The upstream took too long to answer."


class NotConfigured(ServiceError):
    status = 503
    code = "not_configured"

    def __init__(self, setting: str) -> None:
        super().__init__(f"The server has no {setting}; its operator can set it.", setting=setting)


class Draining(ServiceError):
    status = 503
    code = "draining"
    message = "This server is about to stop. Please try again."
    headers = {"Retry-After": "1", "Connection": "close"}


class Unavailable(ServiceError):
    status = 503
    code = "unavailable"
    message = "Something that this needs is not reachable right now."
    headers = {"Retry-After": "5"}


HTTP_CODES = {404: NotFound.code, 405: "method_not_allowed", 413: TooLarge.code}


def init_app(app: Flask) -> None:
    app.register_error_handler(Exception, answer_error)


def explained(error: SQLAlchemyError) -> ServiceError | None:
    """The answer to an outage of the database; None for any other error of it."""
    if not database.is_outage(error):
        return None
    cause = error.orig if isinstance(error, DBAPIError) else None
    log.warning("database away", error=type(error).__name__, cause=type(cause).__name__)
    return Unavailable()


def answer_error(error: Exception) -> Response:
    """The JSON answer for any exception; only unforeseen ones are logged, with their place."""
    if isinstance(error, SQLAlchemyError):
        error = explained(error) or error
    if isinstance(error, ServiceError):
        return _answer(error.status, error.code, error.message, error.facts, error.headers)
    if isinstance(error, HTTPException) and error.code:
        return _answer_http(error, error.code)
    log.exception("unhandled")
    return _answer(500, ServiceError.code, ServiceError.message)


def _answer_http(error: HTTPException, status: int) -> Response:
    """Werkzeug's own errors: unknown route, wrong method, oversize body."""
    known = {404: NotFound.message, 413: TooLarge.message}
    code = HTTP_CODES.get(status, InvalidRequest.code if status < 500 else ServiceError.code)
    allowed = getattr(error, "valid_methods", None)
    headers = {"Allow": ", ".join(sorted(allowed))} if allowed else {}
    return _answer(status, code, known.get(status) or error.name, headers=headers)


def _answer(status: int, code: str, message: str, facts=None, headers=None) -> Response:
    response = jsonify({"error": code, "message": message, **(facts or {})})
    response.status_code = status
    response.headers.update(headers or {})
    return response
