"""What a vendor's refusal means for the caller. Nothing of its text is passed on.

Never 401: whoever calls us is signed in, it is the operator's key that a vendor refuses.
Source: docs/contract.md, section 3.10.
"""

from math import ceil

from service.integrations.declare.reading import Unusable
from service.integrations.declare.vendor import Reply, Vendor
from service.outbound import retry
from service.outbound.upstream import UpstreamError
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
    """The vendor does not take a user's token: told to the user as a consent that is needed."""

    message = "The vendor does not take the connection's token any more."


class ScopeMissing(Forbidden):
    """The vendor wants a scope that the user has not granted: likewise."""

    message = "The vendor wants a scope that has not been granted."


class OutOfReach(Forbidden):
    """The vendor has not opened this one thing to the app; a scope that opens all of them would."""

    message = "The upstream does not allow this."


class Declined(UpstreamFailed):
    """The vendor refuses the operator's app, in an answer of status 200: it has done nothing."""


def refusal_of(vendor: Vendor, reply: Reply) -> ServiceError | None:
    """The error to raise for a reply; None for a success.

    A vendor may refuse with status 200, so it reads every reply.
    """
    refusal = vendor.refusal(reply)
    return refusal or (None if 200 <= reply.status < 300 else _common(reply))


def _common(reply: Reply) -> ServiceError:
    match reply.status:
        case 400 | 409 | 413 | 414 | 416 | 422 | 431:  # a path or a header may be too long, too
            return InvalidRequest("The upstream does not accept these parameters.", details={})
        case 404 | 410:
            return not_found()
        case 429:
            return limited(reply)
    return UpstreamFailed(upstreamStatus=reply.status)


def limited(reply: Reply, seconds: int | None = None) -> RateLimited:
    """With `seconds` to wait, or the vendor's own `Retry-After`."""
    pause = min(max(seconds or retry_after(reply) or 5, 1), LONGEST_PAUSE)
    error = RateLimited("The upstream's limit is reached. Please wait a little.")
    error.headers = {"Retry-After": str(pause)}
    return error


def retry_after(reply: Reply) -> int | None:
    """The seconds of the vendor's `Retry-After`, at most an hour; None if it can't be read."""
    pause = retry.retry_after(reply.headers)
    return None if pause is None else min(ceil(pause), LONGEST_PAUSE)


def not_found() -> NotFound:
    return NotFound("The upstream has nothing of that kind.")


def forbidden() -> Forbidden:
    return Forbidden("The upstream does not allow this.")


def has_done_nothing(refusal: ServiceError) -> bool:
    """Whether a vendor that refuses a call so has done nothing, whatever the answer's status."""
    return refusal.status < 500 or isinstance(refusal, Declined)


def is_refused(status: int) -> bool:
    """Whether the vendor itself says that it has not done what was asked.

    What stands in front of it can't know: a gateway that failed or gave up (502, 504, and a
    network's own 520 to 599), or one whose time to wait was over (408, 499).
    """
    return 400 <= status < 520 and status not in (408, 499, 502, 504)


def is_down(error: ServiceError) -> bool:
    """Whether the vendor is down: it gave no answer, or a 5xx.

    An answer that we can't use is an answer. All users' calls share the breaker that counts this.
    """
    if isinstance(error, UpstreamTimedOut):
        return True
    if not isinstance(error, UpstreamFailed) or isinstance(error, Unusable):
        return False
    status = error.facts.get("upstreamStatus")
    return status is None or (isinstance(status, int) and status >= 500)


def failure_of(error: UpstreamError) -> ServiceError:
    """For what gave no usable answer at all."""
    if error.reason == "not-public":
        return InvalidRequest("Only public addresses can be asked for.", details={})
    if error.reason == "timeout":
        return UpstreamTimedOut()
    failed = Unusable if error.reason == "too-large" else UpstreamFailed
    return failed(upstreamStatus=None)
