"""YouTube itself: its key, and how its refusals are read."""

from typing import Any

from service.integrations.declare.credential import QueryKey
from service.integrations.declare.faults import LONGEST_PAUSE, limited
from service.integrations.declare.json_paths import find
from service.integrations.declare.setting import base_url, secret
from service.integrations.declare.vendor import Reply, Vendor
from service.web.errors import ServiceError, UpstreamFailed

DOCS = "https://developers.google.com/youtube/v3/docs"
DAILY = {"quotaExceeded", "dailyLimitExceeded"}
QUOTA = {"rateLimitExceeded", "userRateLimitExceeded", "RATE_LIMIT_EXCEEDED"}
BAD_KEY = {"keyInvalid", "keyExpired", "API_KEY_INVALID"}


def _refusal(reply: Reply) -> ServiceError | None:
    """Read a refusal. A used-up quota is a 403 or a 429, and a wrong or expired key is a 400."""
    if reply.status not in (400, 403, 429):
        return None
    reasons = _reasons(reply.body)
    if reasons & DAILY or (reasons & QUOTA and _is_daily(reply.body)):
        return limited(reply, LONGEST_PAUSE)
    if reasons & QUOTA:
        return limited(reply)
    return UpstreamFailed(upstreamStatus=reply.status) if reasons & BAD_KEY else None


def _is_daily(body: Any) -> bool:
    """Return whether a daily limit is reached. The limit of searches has no separate reason."""
    units = [str(find(error, "metadata.quota_unit")) for error in _errors(body)]
    message = find(body, "error.message")
    return any(unit.startswith("1/d/") for unit in units) or "per day" in str(message)


def _reasons(body: Any) -> set[str]:
    errors = _errors(body)
    return {reason for error in errors if isinstance(reason := find(error, "reason"), str)}


def _errors(body: Any) -> list[Any]:
    """Return the errors of an answer, in the old form and in the new form."""
    listed = [find(body, "error.errors"), find(body, "error.details")]
    return [error for errors in listed if isinstance(errors, list) for error in errors]


YOUTUBE = Vendor(
    integration="videosite",
    name="youtube",
    bases=(base_url("YOUTUBE_BASE_URL", "https://youtube.googleapis.com/youtube/v3"),),
    credential=QueryKey(
        secret("YOUTUBE_API_KEY", "the key of a Google project with the YouTube Data API"), "key"
    ),
    refusal=_refusal,
)
