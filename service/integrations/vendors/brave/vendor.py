"""Brave itself: its address, its key, and how its refusals are read.

Source: api-dashboard.search.brave.com/app/documentation, and refusals that its users have reported.
"""

import re

from service.integrations.declare.credential import HeaderKey
from service.integrations.declare.faults import limited
from service.integrations.declare.json_paths import find
from service.integrations.declare.setting import base_url, secret
from service.integrations.declare.vendor import Reply, Vendor
from service.web.errors import InvalidRequest, ServiceError, UpstreamFailed

DOCS = "https://api-dashboard.search.brave.com/app/documentation"
# An invalid key is a 422, and what the plan does not include a 400, like an invalid parameter.
ABOUT_ACCOUNT = ("SUBSCRIPTION_TOKEN_INVALID", "OPTION_NOT_IN_PLAN")
# Our parameters whose values only Brave can check, by Brave's names.
PARAMETERS = {
    "q": "query", "country": "country", "search_lang": "searchLang", "freshness": "freshness",
}  # fmt: skip


def _refusal(reply: Reply) -> ServiceError | None:
    """Read a refusal by its code, with any status, or by the parameters that it names."""
    if find(reply.body, "error.code") in ABOUT_ACCOUNT:
        return UpstreamFailed(upstreamStatus=reply.status)
    if reply.status == 422 and (names := _refused_parameters(reply)):
        reason = ["The upstream does not accept this value."]
        return InvalidRequest(details=dict.fromkeys(names, reason))
    return limited(reply, _pause(reply)) if reply.status == 429 else None


def _refused_parameters(reply: Reply) -> list[str]:
    """Return our names of the parameters that a refusal is about. A `loc` is `[query, country]`."""
    errors = find(reply.body, "error.meta.errors")
    named = [find(one, "loc.1") for one in errors] if isinstance(errors, list) else []
    return [ours for theirs, ours in PARAMETERS.items() if theirs in named]


def _pause(reply: Reply) -> int | None:
    """Return the seconds until the last used-up limit is reset: per second, or per month."""
    left, resets = _numbers(reply, "Remaining"), _numbers(reply, "Reset")
    return max((reset for rest, reset in zip(left, resets, strict=False) if not rest), default=None)


def _numbers(reply: Reply, name: str) -> list[int]:
    """Return a number for each limit of the plan."""
    header = reply.headers.get(f"X-RateLimit-{name}", "")
    return [int(text) for text in re.findall("[0-9]{1,9}", header)]


BRAVE = Vendor(
    integration="websearch",
    name="brave",
    bases=(base_url("BRAVE_SEARCH_BASE_URL", "https://api.search.brave.com/res/v1"),),
    credential=HeaderKey(
        secret("BRAVE_SEARCH_API_KEY", "the key of a Search plan at Brave"), "X-Subscription-Token"
    ),
    refusal=_refusal,
)
