"""Firecrawl itself: its address, its key, and how its refusals are read.

Source: docs.firecrawl.dev/api-reference/errors, and the source of its scrape controller.
"""

from service.integrations.declare.credential import bearer
from service.integrations.declare.faults import forbidden
from service.integrations.declare.json_paths import find
from service.integrations.declare.setting import base_url, secret
from service.integrations.declare.vendor import Reply, Vendor
from service.web.errors import InvalidRequest, ServiceError, UpstreamFailed

DOCS = "https://docs.firecrawl.dev/api-reference/endpoint"
NOT_SUPPORTED = "We apologize for the inconvenience but we do not support this site"


def _refusal(reply: Reply) -> ServiceError | None:
    """Read a refusal. With any status, a `SCRAPE_…` code is about the page and not the vendor."""
    code, error = find(reply.body, "code"), find(reply.body, "error")
    if reply.status == 403 and _is_about_site(code, error):
        return forbidden()
    if isinstance(code, str) and code.startswith("SCRAPE_") and reply.status in (200, 408, 500):
        return InvalidRequest("The upstream could not read this page.", details={})
    is_own = find(reply.body, "success") is False
    if reply.status == 408 and is_own:  # a gateway's 408 says nothing about the page
        return InvalidRequest("The upstream could not read this in time.", details={})
    if reply.status == 200 and is_own:
        return UpstreamFailed(upstreamStatus=200)
    return None


def _is_about_site(code: object, error: object) -> bool:
    """Return whether a 403 is about the site. Otherwise it is about the operator's plan."""
    is_refused = isinstance(error, str) and error.startswith(NOT_SUPPORTED)
    return is_refused or code in ("UNSUPPORTED_SITE", "unsafe_domain_blocked")


FIRECRAWL = Vendor(
    integration="crawl",
    name="firecrawl",
    bases=(base_url("FIRECRAWL_BASE_URL", "https://api.firecrawl.dev/v2"),),
    credential=bearer(secret("FIRECRAWL_API_KEY", "the key of an account at Firecrawl")),
    refusal=_refusal,
)
