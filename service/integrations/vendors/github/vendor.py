"""GitHub itself: where it is, its token, and what it means by a refusal.

Source: docs.github.com/rest/using-the-rest-api, "Rate limits" and "Troubleshooting".
"""

import time
from typing import Any

import structlog

from service.errors import InvalidRequest, ServiceError
from service.integrations.catalog import ApiKey, Reply, Vendor
from service.integrations.faults import absent, forbidden, limited, retry_after
from service.integrations.shape import at

DOCS = "https://docs.github.com/rest"
MINUTE = 60  # what GitHub asks to wait when it names no time
READS: dict[str, Any] = {"reads": True, "auto_approve": True, "seconds": 30}


class EmptyRepository(InvalidRequest):
    """409: there is no commit yet, and so no tree."""


def _refusal(reply: Reply) -> ServiceError | None:
    match reply.status:
        case 403 | 429 if _is_limit(reply):
            return limited(reply, _pause(reply))
        case 403 if "X-GitHub-SSO" in reply.headers:
            return absent()  # GitHub wants sign-on only for an organization's own repositories
        case 403 | 451:
            return forbidden()
        case 409:
            return EmptyRepository("The repository is empty.", details={})
        case 301 | 302 | 307 | 308:
            return absent()  # renamed; the new one may be private
    return None


def _is_limit(reply: Reply) -> bool:
    text = at(reply.body, "message")
    return (
        reply.status == 429
        or reply.headers.get("X-RateLimit-Remaining") == "0"
        or "Retry-After" in reply.headers
        or "rate limit" in (text.lower() if isinstance(text, str) else "")
    )


def _pause(reply: Reply) -> int:
    """Seconds: as `Retry-After` says, or until the limit is reset, or a minute."""
    reset = reply.headers.get("X-RateLimit-Reset", "")
    known = reply.headers.get("X-RateLimit-Remaining") == "0" and reset.isdecimal()
    until = max(int(reset[:12]) - int(time.time()), 1) if known else MINUTE
    return retry_after(reply) or until


class TokenWatch:
    """Logs, once in each worker, that the token opens private repositories."""

    def __init__(self) -> None:
        self.has_warned = False

    def look(self, reply: Reply) -> None:
        """A classic token's scopes come with every answer; a fine-grained one's never do."""
        scopes = reply.headers.get("X-OAuth-Scopes", "").replace(" ", "").split(",")
        if "repo" in scopes:
            self.warn("the scope `repo`")

    def warn(self, reason: str) -> None:
        if not self.has_warned:
            self.has_warned = True
            log.warning("GITHUB_TOKEN reads private repositories", seen=reason)


log = structlog.get_logger("integrations")
token = TokenWatch()

GITHUB = Vendor(
    integration="codehost",
    name="github",
    base_urls={"GITHUB_BASE_URL": "https://api.github.com"},
    key=ApiKey("GITHUB_TOKEN", "header:Authorization", "Bearer {key}", required=False),
    headers={
        "Accept": "application/vnd.github+json",
        "X-GitHub-Api-Version": "2022-11-28",
    },
    refusal=_refusal,
    look=token.look,
)
