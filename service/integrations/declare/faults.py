"""Turn a vendor's refusal into an error for the caller. Its text is not passed on.

No refusal becomes a 401: the caller is signed in, and the vendor refuses the operator's key.
Source: docs/contract.md, section 3.10.
"""

from math import ceil

from service.integrations.declare.reading import Unusable
from service.integrations.declare.vendor import Reply, Vendor
from service.outbound import retry
from service.outbound.stream import UpstreamError
from service.web.errors import (
    Forbidden,
    InvalidRequest,
    NotFound,
    RateLimited,
    ServiceError,
    UpstreamFailed,
    UpstreamTimedOut,
)

LONGEST_PAUSE = 3600


class GrantRejected(Forbidden):
    """The vendor rejects a user's token. The user is asked for a consent."""

    message = "The vendor does not take the connection's token any more."


class ScopeMissing(Forbidden):
    """The vendor requires a scope that is not granted. The user is asked for a consent."""

    message = "The vendor wants a scope that has not been granted."


class OutOfReach(Forbidden):
    """The vendor has not opened this item to the app. A scope for all items would open it."""

    message = "The upstream does not allow this."


class Declined(UpstreamFailed):
    """The vendor refuses the operator's app with status 200. It has done nothing."""


def refusal_of(vendor: Vendor, reply: Reply) -> ServiceError | None:
    """Return the error to raise for a reply, or None for a success.

    A vendor may refuse with status 200, so its `refusal` reads every reply.
    """
    refusal = vendor.refusal(reply)
    return refusal or (None if 200 <= reply.status < 300 else _common(reply))


def _common(reply: Reply) -> ServiceError:
    match reply.status:
        case 400 | 409 | 413 | 414 | 416 | 422 | 431:  # also too long a path or a header
            return InvalidRequest("The upstream does not accept these parameters.", details={})
        case 404 | 410:
            return not_found()
        case 429:
            return limited(reply)
    return UpstreamFailed(upstreamStatus=reply.status)


def limited(reply: Reply, seconds: int | None = None) -> RateLimited:
    """Return a `RateLimited` with `seconds` to wait, or the vendor's own `Retry-After`."""
    pause = min(max(seconds or retry_after(reply) or 5, 1), LONGEST_PAUSE)
    error = RateLimited("The upstream's limit is reached. Please wait a little.")
    error.headers = {"Retry-After": str(pause)}
    return error


def retry_after(reply: Reply) -> int | None:
    """Return the seconds of the vendor's `Retry-After`, at most an hour, or None."""
    pause = retry.retry_after(reply.headers)
    return None if pause is None else min(ceil(pause), LONGEST_PAUSE)


def not_found() -> NotFound:
    return NotFound("The upstream has nothing of that kind.")


def forbidden() -> Forbidden:
    return Forbidden("The upstream does not allow this.")


def has_done_nothing(refusal: ServiceError) -> bool:
    """Return whether this refusal means that the vendor has done nothing, for any status."""
    return refusal.status < 500 or isinstance(refusal, Declined)


def is_refused(status: int) -> bool:
    """Return whether the vendor itself says that it has not done the request.

    A server in front of the vendor can't know it: a gateway that failed or gave up (502, 504, and a
    network's own 520 to 599), or one that stopped waiting (408, 499).
    """
    return 400 <= status < 520 and status not in (408, 499, 502, 504)


def is_down(error: ServiceError) -> bool:
    """Return whether the vendor is down: it gave no answer, or a 5xx.

    An unusable answer still is an answer. All users' calls share the breaker that counts this.
    """
    if isinstance(error, UpstreamTimedOut):
        return True
    if not isinstance(error, UpstreamFailed) or isinstance(error, Unusable):
        return False
    status = error.facts.get("upstreamStatus")
    return status is None or (isinstance(status, int) and status >= 500)


def failure_of(error: UpstreamError) -> ServiceError:
    """Return the error to raise for a request that got no usable answer at all."""
    if error.reason == "not-public":
        return InvalidRequest("Only public addresses can be asked for.", details={})
    if error.reason == "timeout":
        return UpstreamTimedOut()
    failed = Unusable if error.reason == "too-large" else UpstreamFailed
    return failed(upstreamStatus=None)
