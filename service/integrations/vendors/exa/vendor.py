"""Exa itself: where it is, its key, and what it means by a refusal.

Source: exa.ai/docs/admin/error-codes.
"""

from service.errors import ServiceError, UpstreamFailed
from service.integrations.catalog import ApiKey, Reply, Vendor
from service.integrations.faults import forbidden
from service.integrations.shape import at

BLOCKED = ("ROBOTS_FILTER_FAILED", "PROHIBITED_CONTENT")


def _refusal(reply: Reply) -> ServiceError | None:
    """A 403 is about our plan unless it is about what was asked for; a 410 is a retired path."""
    tag = at(reply.body, "tag") or at(reply.body, "error.code")
    if reply.status == 403 and tag in BLOCKED:
        return forbidden()
    if reply.status == 410:
        return UpstreamFailed(upstreamStatus=410)
    return None


EXA = Vendor(
    integration="neuralsearch",
    name="exa",
    base_urls={"EXA_BASE_URL": "https://api.exa.ai"},
    key=ApiKey("EXA_API_KEY", "header:x-api-key"),
    refusal=_refusal,
)
DOCS = "https://exa.ai/docs/reference"
