"""Tavily: web search with filters, the text of pages, and an answer.

A search takes one of Tavily's own credits, or two if it is `advanced`; each costs 0.8 US cents. A
432 (the limit of the key or the plan) and a 433 (the limit of further payments) end when the
operator raises the limit, so they are failures, and waiting does not help a caller.
Source: docs.tavily.com/documentation/api-reference/endpoint/search and /api-credits.
"""

from typing import Any, Unpack

from marshmallow import ValidationError, validate, validates_schema

from service.billing.prices import TAVILY_SEARCH
from service.integrations.declare.credential import bearer
from service.integrations.declare.endpoint import PAID_READ, Endpoint
from service.integrations.declare.example import example
from service.integrations.declare.fields import (
    Choice,
    Count,
    Day,
    Facts,
    Parameters,
    Several,
    Switch,
    Words,
)
from service.integrations.declare.meter import Meter
from service.integrations.declare.reading import text
from service.integrations.declare.request import post
from service.integrations.declare.says import Says
from service.integrations.declare.setting import base_url, secret
from service.integrations.declare.shape import Each, Made, Maybe, Num, Shape, Values
from service.integrations.declare.vendor import Vendor

TAVILY = Vendor(
    integration="filteredsearch",
    name="tavily",
    bases=(base_url("TAVILY_BASE_URL", "https://api.tavily.com"),),
    credential=bearer(secret("TAVILY_API_KEY", "the key of an account at Tavily")),
)


def _image_url(image: Any, values: Values) -> str:
    """Return the address of an image, which is a text or an object with the address."""
    return image if isinstance(image, str) else text(image, "url")


RESULT = Shape(
    url="url", title=Maybe("title"), snippet=Maybe("content"), score=Maybe(Num("score")),
    content=Maybe("raw_content"),
)  # fmt: skip


class Extent(Choice):
    """True, false, or one of a list of texts."""

    def __init__(self, *values: str, about: str, **facts: Unpack[Facts]) -> None:
        super().__init__(*values, about=about, **facts)
        named = ", ".join(("true", "false", *values))
        self.validators = [
            validate.OneOf((True, False, *values), error=f"Must be one of: {named}.")
        ]
        self.metadata = {**self.metadata, "type": ["boolean", "string"]}

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        if isinstance(value, bool):
            return value
        return super()._deserialize(value, attr, data, **kwargs)

    def _serialize(self, value: Any, attr: str | None, obj: Any, **kwargs: Any) -> Any:
        """Return a value for the default in schemas, which would otherwise be the text `False`."""
        if isinstance(value, bool):
            return value
        return super()._serialize(value, attr, obj, **kwargs)


class FilteredQuery(Parameters):
    query = Words("What to search for.", most=400, to="json.query", required=True)
    searchDepth = Choice(
        "advanced", "basic", "fast", "ultra-fast",
        about="How much effort to spend; `advanced` finds most, and costs twice as much.",
        to="json.search_depth", default="advanced",
    )  # fmt: skip
    topic = Choice(
        "general", "news", "finance", about="The kind of pages to search.",
        to="json.topic", default="general",
    )  # fmt: skip
    maxResults = Count("Number of results.", least=0, most=20, to="json.max_results", default=10)
    chunksPerSource = Count(
        "Excerpts of each page in its snippet.", least=1, most=3,
        to="json.chunks_per_source", default=3,
    )  # fmt: skip
    timeRange = Choice(
        "day", "week", "month", "year",
        about="Only pages published or changed since then; not with `startDate` or `endDate`.",
        to="json.time_range",
    )  # fmt: skip
    startDate = Day("Only pages published or changed after this day.", to="json.start_date")
    endDate = Day("Only pages published or changed before this day.", to="json.end_date")
    includeDomains = Several(
        Words(least=1, most=253), "Only pages of these domains.", least=1, most=300,
        to="json.include_domains",
    )  # fmt: skip
    excludeDomains = Several(
        Words(least=1, most=253), "No pages of these domains.", least=1, most=150,
        to="json.exclude_domains",
    )  # fmt: skip
    country = Words(
        "Prefer pages of this country, by its English name in small letters, such as `germany`; "
        "only for the topic `general`.",
        pattern="^[a-z]+( [a-z]+)*$", to="json.country",
    )  # fmt: skip
    includeAnswer = Extent(
        "basic", "advanced",
        about="Return an answer that a model makes of the results: a quick one (true, `basic`), or "
        "one with more detail (`advanced`).",
        to="json.include_answer", default=False,
    )  # fmt: skip
    includeRawContent = Extent(
        "markdown", "text",
        about="Return the whole content of each page, in Markdown (true, `markdown`) or as `text`.",
        to="json.include_raw_content", default=False,
    )  # fmt: skip
    includeImages = Switch(
        "Return images that match the query.", to="json.include_images", default=False
    )
    exactMatch = Switch(
        "Only pages with the exact phrases that stand in quotation marks.",
        to="json.exact_match", default=False,
    )  # fmt: skip

    @validates_schema
    def check_country(self, data: dict[str, Any], **kwargs: Any) -> None:
        if "country" in data and data["topic"] != "general":
            raise ValidationError("Only for the topic `general`.", "country")

    @validates_schema
    def check_dates(self, data: dict[str, Any], **kwargs: Any) -> None:
        """Raise ValidationError for two limits of the time, which Tavily refuses."""
        if "timeRange" in data and ("startDate" in data or "endDate" in data):
            raise ValidationError("Not together with a date.", "timeRange")


ANSWER = {
    "query": "Who is Leo Messi?", "answer": "Lionel Messi is an Argentine footballer.",
    "images": ["https://img.example/messi.jpg", {"url": "https://img.example/cup.jpg"}],
    "results": [{
        "title": "Lionel Messi Facts | Britannica", "score": 0.81025416, "favicon": None,
        "url": "https://www.britannica.com/facts/Lionel-Messi",
        "content": "Lionel Messi, an Argentine footballer, is widely regarded as…",
        "raw_content": "# Lionel Messi\n\nLionel Messi, an Argentine footballer…",
    }],
    "response_time": 1.67, "request_id": "123e4567-e89b-12d3-a456-426614174111",
}  # fmt: skip

advanced = Endpoint(
    name="advanced-web-search", vendor=TAVILY, category="search", access=PAID_READ,
    summary="Web search with filters, on request with the text of pages and an answer.",
    says=Says(
        "Searching the web for “{query}”",
        "Searched the web for “{query}”: {results:result}",
    ),
    docs="https://docs.tavily.com/documentation/api-reference/endpoint/search",
    meter=Meter(lambda values: TAVILY_SEARCH[values["searchDepth"]], lambda data: None),
    takes=FilteredQuery, asks=post("/search"),
    gives=Shape(
        query=Maybe("query"), answer=Maybe("answer"), results=Each("results", RESULT),
        images=Each("images", Made("", _image_url), default=()), requestId=Maybe("request_id"),
    ),
    examples=(example(
        {"query": "Who is Leo Messi?", "maxResults": 1, "startDate": "2026-01-01",
         "endDate": "2026-10-31", "country": "argentina", "includeDomains": ["britannica.com"],
         "excludeDomains": ["example.org"], "includeAnswer": "advanced",
         "includeRawContent": True, "includeImages": True},
        "POST /search", ANSWER,
        body={
            "query": "Who is Leo Messi?", "search_depth": "advanced", "topic": "general",
            "max_results": 1, "chunks_per_source": 3, "start_date": "2026-01-01",
            "end_date": "2026-10-31", "country": "argentina", "include_domains": ["britannica.com"],
            "exclude_domains": ["example.org"], "include_answer": "advanced",
            "include_raw_content": True, "include_images": True, "exact_match": False,
        },
    ), example(
        {"query": "Who is Leo Messi?", "timeRange": "year"},
        "POST /search", ANSWER,
        body={
            "query": "Who is Leo Messi?", "search_depth": "advanced", "topic": "general",
            "max_results": 10, "chunks_per_source": 3, "time_range": "year",
            "include_answer": False, "include_raw_content": False, "include_images": False,
            "exact_match": False,
        },
    )),
)  # fmt: skip

ENDPOINTS = (advanced,)
