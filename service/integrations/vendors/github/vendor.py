"""GitHub itself: its address, its token, and how its refusals are read.

Source: docs.github.com/rest/using-the-rest-api, "Rate limits" and "Troubleshooting".
"""

import re
import time
from typing import Any

import structlog

from service.integrations.declare.credential import bearer
from service.integrations.declare.faults import forbidden, limited, not_found, retry_after
from service.integrations.declare.json_paths import find
from service.integrations.declare.reading import need
from service.integrations.declare.setting import base_url, secret
from service.integrations.declare.vendor import Reply, Vendor
from service.web.errors import ServiceError

DOCS = "https://docs.github.com/rest"
MOVED = (301, 302, 307, 308)
BY_NUMBER = re.compile(
    r"(?:https?://[^/?#\s]+(?:/api/v3)?)?"
    r"(/repositories/[0-9]{1,20}(?:/(?!\.{1,2}(?:[/?]|$))[^/?#\s]*)*(?:\?[^#\s]*)?)"
)
MINUTE = 60  # seconds to wait if GitHub names no time


def _refusal(reply: Reply) -> ServiceError | None:
    match reply.status:
        case 200 if _is_repository(reply.body) and not is_public(reply.body):
            return not_found()
        case 403 | 429 if _is_limit(reply):
            return limited(reply, _pause(reply))
        case 403 if "X-GitHub-SSO" in reply.headers:
            return not_found()  # sign-on is required only for an organization's own repositories
        case 403 | 451:
            return forbidden()
        case status if status in MOVED:
            return not_found()  # moved to another place, or moved again
    return None


def _moved(reply: Reply) -> str | None:
    """Return the path of a renamed repository. GitHub names its number, and repeats the query.

    Its description is checked like any other, so a repository that is private now is not found.
    """
    match = BY_NUMBER.fullmatch(reply.headers.get("Location", ""))
    return match[1] if match and reply.status in MOVED else None


def _is_repository(body: Any) -> bool:
    """Return whether an answer to any request describes one repository."""
    return isinstance(body, dict) and "full_name" in body


def is_public(repository: Any) -> bool:
    """Return whether GitHub's description says that a repository is public. Raises `Unusable`."""
    need(repository, "full_name")
    visibility = find(repository, "visibility")
    if find(repository, "private") is False and visibility in (None, "public"):
        return True
    token.warn("a repository that is not public")
    return False


def _is_limit(reply: Reply) -> bool:
    text = find(reply.body, "message")
    return (
        reply.status == 429
        or reply.headers.get("X-RateLimit-Remaining") == "0"
        or "Retry-After" in reply.headers
        or "rate limit" in (text.lower() if isinstance(text, str) else "")
    )


def _pause(reply: Reply) -> int:
    """Return the seconds of `Retry-After`, or until the limit is reset, or a minute."""
    reset = reply.headers.get("X-RateLimit-Reset", "")
    known = reply.headers.get("X-RateLimit-Remaining") == "0" and reset.isdecimal()
    until = max(int(reset[:12]) - int(time.time()), 1) if known else MINUTE
    return retry_after(reply) or until


class TokenWatch:
    """Logs once in each worker that the token opens private repositories."""

    def __init__(self) -> None:
        self.has_warned = False

    def look(self, reply: Reply) -> None:
        """Check a classic token's scopes, which every answer has. Fine-grained tokens have none."""
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
    bases=(base_url("GITHUB_BASE_URL", "https://api.github.com"),),
    credential=bearer(
        secret(
            "GITHUB_TOKEN", "a token; without it 60 calls an hour; see below which", required=False
        )
    ),
    headers={
        "Accept": "application/vnd.github+json",
        "X-GitHub-Api-Version": "2022-11-28",
    },
    refusal=_refusal,
    look=token.look,
    moved=_moved,
)
