"""Perplexity itself: its address, its key, its prices, and how its answers are read.

Source: docs.perplexity.ai/docs/agent-api/migrate-from-sonar, /docs/getting-started/pricing, and
github.com/perplexityai/api-platform-developers, response-and-streaming.md, "Error handling".
"""

from collections.abc import Mapping
from typing import Any

from service.billing.prices import PERPLEXITY_ANSWER, PERPLEXITY_OUTPUT
from service.integrations.declare.credential import bearer
from service.integrations.declare.json_paths import find
from service.integrations.declare.meter import Meter
from service.integrations.declare.reading import as_list, objects, unusable
from service.integrations.declare.setting import base_url, secret
from service.integrations.declare.shape import (
    Bool,
    Each,
    Int,
    Made,
    Maybe,
    Num,
    Shape,
    Values,
    Within,
)
from service.integrations.declare.vendor import Reply, Vendor
from service.web.errors import InvalidRequest, ServiceError, UpstreamFailed

DOCS = "https://docs.perplexity.ai/docs/agent-api/quickstart"


def _refusal(reply: Reply) -> ServiceError | None:
    """Read a refusal. A failed run is a 200. A 404 or 410 is about the API, not about an item.

    Callers do not choose Perplexity's model, so a refused one is no mistake of theirs.
    """
    kind = find(reply.body, "error.type")
    failed = find(reply.body, "status") in ("failed", "cancelled")
    if failed or reply.status in (404, 410) or kind == "invalid_model":
        return UpstreamFailed(upstreamStatus=reply.status)
    if reply.status == 400 and kind == "invalid_search_domain_filter":
        return InvalidRequest(details={"domains": ["The upstream does not accept one of them."]})
    return None


PERPLEXITY = Vendor(
    integration="answersearch",
    name="perplexity",
    bases=(base_url("PERPLEXITY_BASE_URL", "https://api.perplexity.ai"),),
    credential=bearer(secret("PERPLEXITY_API_KEY", "the key of an account at Perplexity")),
    refusal=_refusal,
)

RESULT = Shape(
    url="url", id=Maybe(Int("id", about="The number that the answer cites it by.")),
    title=Maybe("title"), snippet=Maybe("snippet"), date=Maybe("date"),
)  # fmt: skip
USAGE = Shape(
    inputTokens=Int("input_tokens"), outputTokens=Maybe(Int("output_tokens")),
    totalTokens=Maybe(Int("total_tokens")),
)  # fmt: skip


def _items(answer: Any, kind: str) -> list[Mapping[str, Any]]:
    """Return the run's output of one kind: messages, or the results of searches."""
    return [item for item in objects(find(answer, "output")) if item.get("type") == kind]


def _text(answer: Any, values: Values) -> str:
    parts = [part for item in _items(answer, "message") for part in objects(item.get("content"))]
    texts = [part.get("text") for part in parts if part.get("type") == "output_text"]
    if not texts and not _is_truncated(answer, values):
        raise unusable("output")
    return "".join(text for text in texts if isinstance(text, str))


def _results(answer: Any, values: Values) -> list[dict[str, Any]]:
    """Return each page once, even if several searches have found it."""
    items = [as_list(item.get("results")) for item in _items(answer, "search_results")]
    results = [RESULT.read(one) for some in items for one in some]
    return list({result["url"]: result for result in results}.values())


def _is_truncated(answer: Any, values: Values) -> bool:
    return bool(find(answer, "status") == "incomplete")


ANSWER = Shape(
    answer=Made("", _text), truncated=Made(Bool(""), _is_truncated), model=Maybe("model"),
    citations=Made(
        Each("", ""), lambda answer, values: [one["url"] for one in _results(answer, values)]
    ),
    results=Made(Each("", RESULT), _results), usage=Maybe(Within("usage", USAGE)),
    costDollars=Maybe(Num("usage.cost.total_cost")),
)  # fmt: skip


def _most(values: Mapping[str, Any]) -> float:
    tokens: int = values.get("maxTokens", 0)
    return PERPLEXITY_ANSWER[values["model"]] + tokens * PERPLEXITY_OUTPUT


METER = Meter(_most, lambda data: data["costDollars"])
