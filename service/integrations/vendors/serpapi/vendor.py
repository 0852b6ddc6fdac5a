"""SerpApi itself: its key, its refusals, and the parameters that travel searches share.

Source: serpapi.com/api-status-and-error-codes, serpapi.com/search-errors.
"""

from service.integrations.declare.credential import QueryKey
from service.integrations.declare.fields import Parameters, Words
from service.integrations.declare.json_paths import find
from service.integrations.declare.setting import base_url, secret
from service.integrations.declare.vendor import Reply, Vendor
from service.web.errors import ServiceError, UpstreamFailed

DOCS = "https://serpapi.com"
NOTHING = ("hasn't returned any results", "has not returned any results")
EXHAUSTED = "run out of searches"


def _refusal(reply: Reply) -> ServiceError | None:
    """Read a refusal. A failed search is an `error` in a 200, and so is a search without results.

    The latter is no failure, and is charged. A 200 whose search is not a success is a failure, and
    so is an empty 200, which would otherwise be a search without results. A used-up plan is a 429,
    but waiting does not help.
    """
    error = find(reply.body, "error")
    text = error if isinstance(error, str) else ""
    if reply.status == 429 and EXHAUSTED in text:
        return UpstreamFailed(upstreamStatus=429)
    is_failed = bool(error) and not any(phrase in text for phrase in NOTHING)
    status = find(reply.body, "search_metadata.status")
    is_success = status == "Success" or (status is None and bool(reply.body))
    if reply.status == 200 and (is_failed or not is_success):
        return UpstreamFailed(upstreamStatus=200)
    return None


SERPAPI = Vendor(
    integration="serp",
    name="serpapi",
    bases=(base_url("SERPAPI_BASE_URL", "https://serpapi.com"),),
    credential=QueryKey(secret("SERPAPI_API_KEY", "the key of an account"), "api_key"),
    refusal=_refusal,
)


class Market(Parameters):
    """The currency, the language and the country of a search."""

    currency = Words(
        "The currency of prices, as three letters.",
        pattern="^[A-Za-z]{3}$", to="query.currency", theirs=str.upper, default="USD",
    )  # fmt: skip
    language = Words(
        "The language of the answer.",
        pattern=r"^[a-z]{2,3}(-[A-Za-z0-9]{2,4})?$", to="query.hl", theirs=str.lower, default="en",
    )  # fmt: skip
    country = Words(
        "The country to search from, as two letters.",
        pattern="^[A-Za-z]{2}$", to="query.gl", theirs=str.lower, default="us",
    )  # fmt: skip
