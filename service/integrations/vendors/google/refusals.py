"""Read Google's 403: it is about a scope, a quota, the operator's project, or the item itself.

The classic APIs give the reason in `error.errors[].reason`, the newer ones in
`error.details[].reason`; either may be missing. Reasons are compared as a whole:
`insufficientPermissions` is about the token, `insufficientFilePermissions` about one file.
Source: developers.google.com/drive/api/guides/handle-errors, cloud.google.com/apis/design/errors.
"""

from typing import Any

from service.integrations.declare.faults import OutOfReach, ScopeMissing, forbidden, limited
from service.integrations.declare.vendor import Reply
from service.web.errors import (
    Forbidden,
    InvalidRequest,
    ServiceError,
    TooLarge,
    UpstreamFailed,
)

SCOPE = {"insufficientPermissions", "ACCESS_TOKEN_SCOPE_INSUFFICIENT", "insufficient_scope"}
QUOTA = {
    "rateLimitExceeded",
    "userRateLimitExceeded",
    "dailyLimitExceeded",
    "quotaExceeded",
    "RATE_LIMIT_EXCEEDED",
    "RESOURCE_EXHAUSTED",
}
PROJECT = {"accessNotConfigured", "SERVICE_DISABLED", "BILLING_DISABLED", "CONSUMER_SUSPENDED"}
NO_MAIL = "The connected account has no mail service."
ABUSIVE = "Google takes this file for malware or spam. With acknowledgeAbuse its owner can get it."


def refusal(reply: Reply) -> ServiceError | None:
    """Read a refusal. A 403 is a missing scope by default (docs/contract.md, section 10.16)."""
    error = _error(reply)
    reasons = _reasons(error, reply)
    if reply.status == 400 and "mail service not enabled" in _message(error):
        return InvalidRequest(NO_MAIL, details={})
    if reply.status != 403:
        return None
    if reasons & SCOPE:
        return ScopeMissing()
    if reasons & QUOTA:
        return limited(reply)
    if reasons & PROJECT:
        return UpstreamFailed(upstreamStatus=403)
    if "appNotAuthorizedToFile" in reasons:
        return OutOfReach()
    if "cannotDownloadAbusiveFile" in reasons:
        return Forbidden(ABUSIVE)
    if "exportSizeLimitExceeded" in reasons:
        return TooLarge("Google exports at most 10 MB of a document.")
    return forbidden() if reasons else ScopeMissing()


def _reasons(error: dict[str, Any], reply: Reply) -> set[str]:
    listed = [*_objects(error.get("errors")), *_objects(error.get("details"))]
    found = {str(item["reason"]) for item in listed if item.get("reason")}
    if error.get("status") == "RESOURCE_EXHAUSTED":
        found.add("RESOURCE_EXHAUSTED")
    if "insufficient authentication scopes" in _message(error):
        found.add("ACCESS_TOKEN_SCOPE_INSUFFICIENT")
    if "insufficient_scope" in reply.headers.get("WWW-Authenticate", ""):
        found.add("insufficient_scope")
    return found


def _error(reply: Reply) -> dict[str, Any]:
    body = reply.body if isinstance(reply.body, dict) else {}
    error = body.get("error")
    return error if isinstance(error, dict) else {}


def _message(error: dict[str, Any]) -> str:
    return str(error.get("message", "")).lower()


def _objects(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
