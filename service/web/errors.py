"""The errors that a caller may receive.

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

Views and domain modules only raise them; `service/web/error_answers.py` answers.
"""

from itertools import islice
from typing import Any

import structlog
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from service.database import access as database
from service.database.failures import failure_of

log = structlog.get_logger("errors")


class ServiceError(Exception):
    """An error for the caller. `facts` are added to the body, `headers` to the response."""

    status = 500
    code = "internal_error"
    message = "The server failed to answer this request."
    headers: dict[str, str] = {}

    def __init__(self, message: str | None = None, **facts: object) -> None:
        super().__init__(message or self.message)
        self.message = message or self.message
        self.facts = facts


class InvalidRequest(ServiceError):
    status = 400
    code = "invalid_request"
    message = "The request is not valid."
    max_details = 100  # fields in `details`; a body may have thousands of unknown fields

    def __init__(
        self, message: str | None = None, *, details: dict[str, Any] | None = None, **facts: object
    ) -> None:
        """`details` has a list of reasons for each field, or an object for nested fields."""
        self.details = dict(islice((details or {}).items(), self.max_details))
        if details is not None:
            facts["details"] = self.details
        super().__init__(message, **facts)


class InvalidModel(InvalidRequest):
    code = "invalid_model"


class Unauthorized(ServiceError):
    status = 401
    code = "unauthorized"
    message = "A valid bearer token is needed."
    headers = {"WWW-Authenticate": "Bearer"}


class InsufficientCredits(ServiceError):
    """The payer has not enough credits.

    `needed` and `available` are in credits. `available` is None if the app's owner pays, unless a
    limited token's own limit is too low. With `resets_at`, a budget is used up, and that is the
    time when it starts again.
    """

    status = 402
    code = "insufficient_credits"
    message = "There are not enough credits for this request."

    def __init__(
        self,
        needed: float,
        available: float | None,
        message: str | None = None,
        resets_at: str | None = None,
    ) -> None:
        facts: dict[str, Any] = {} if available is None else {"available": available}
        if resets_at is not None:
            facts["resetsAt"] = resets_at
        super().__init__(message, needed=needed, **facts)


class Forbidden(ServiceError):
    status = 403
    code = "forbidden"
    message = "Your role does not allow this."


class NotFound(ServiceError):
    """Something does not exist or belongs to another user. The answer is the same for both."""

    status = 404
    code = "not_found"
    message = "This does not exist, or you have no access to it."


class UnknownEndpoint(NotFound):
    code = "unknown_endpoint"
    message = "There is no endpoint of that name."

    def __init__(self, nearest: list[str], message: str | None = None) -> None:
        """`nearest` are the most similar names of endpoints, most similar first."""
        super().__init__(message, nearest=nearest)
        self.nearest = nearest


class Stalled(ServiceError):
    """The body did not arrive in time: `serving/timed_requests.py` raises werkzeug's error."""

    status = 408
    code = "invalid_request"
    message = "The request did not arrive in time."


class Conflict(ServiceError):
    status = 409
    code = "conflict"
    message = "The request conflicts with the stored data."


class TooLarge(ServiceError):
    status = 413
    code = "too_large"
    message = "The request is too large."


class RateLimited(ServiceError):
    status = 429
    code = "rate_limited"
    message = "Too many requests. Please try again later."
    headers = {"Retry-After": "5"}


class UpstreamFailed(ServiceError):
    """The upstream failed. `upstreamStatus` is its HTTP status, or None if there was none."""

    status = 502
    code = "upstream_provider_error"
    message = "The upstream service failed."


class UpstreamTimedOut(ServiceError):
    status = 504
    code = "upstream_timeout"
    message = "The upstream service took too long to answer."


class NotConfigured(ServiceError):
    status = 503
    code = "not_configured"

    def __init__(self, setting: str) -> None:
        super().__init__(f"{setting} is not set on this server.", setting=setting)


class Draining(ServiceError):
    status = 503
    code = "draining"
    message = "This server is about to stop. Please try again."
    headers = {"Retry-After": "1", "Connection": "close"}


class Unavailable(ServiceError):
    status = 503
    code = "unavailable"
    message = "A service that this request needs is unavailable."
    headers = {"Retry-After": "5"}


def outage_error(error: SQLAlchemyError) -> ServiceError | None:
    """Return the error for an outage of the database, or None for its other errors."""
    if not database.is_outage(error):
        return None
    cause = error.orig if isinstance(error, DBAPIError) else None
    names = {"error": type(error).__name__, "cause": type(cause).__name__}
    log.warning("database away", **names, reason=failure_of(error))
    return Unavailable()
