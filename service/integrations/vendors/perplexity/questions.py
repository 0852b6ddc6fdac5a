"""Questions that Perplexity answers from the web."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from marshmallow import ValidationError, validates_schema

from service.integrations.calling.call import Call
from service.integrations.declare.endpoint import PAID_READ, Endpoint
from service.integrations.declare.example import File, example
from service.integrations.declare.fields import (
    Amount,
    Choice,
    Count,
    Day,
    Parameters,
    Several,
    Words,
)
from service.integrations.declare.request import Outgoing, post
from service.integrations.declare.says import Says
from service.integrations.vendors.perplexity.vendor import ANSWER, DOCS, METER, PERPLEXITY

PRESETS = {
    "sonar": "fast",
    "sonar-pro": "low",
    "sonar-reasoning-pro": "low",
    "sonar-deep-research": "medium",
}
SEARCHING = {"model": "perplexity/sonar", "tool_choice": {"type": "web_search"}}
SUMMARIZE = "Summarize what the web says about the query, concisely and with citations."


def _model(*names: str) -> Choice:
    return Choice(
        *names, about="How thorough to be, from a quick look to long research.",
        to="json.preset", theirs=PRESETS, default="sonar",
    )  # fmt: skip


class Question(Parameters):
    query = Words("The question.", most=20_000, to="json.input", required=True)
    model = _model("sonar", "sonar-pro")
    recency = Choice(
        "hour", "day", "week", "month", "year", about="Only pages published since then."
    )
    domains = Several(
        Words(pattern="^-?[A-Za-z0-9.-]{1,252}$"),
        "Only pages of these domains; with a `-` in front of each, none of them.", least=1, most=20,
    )  # fmt: skip
    language = Words(
        "The language of the answer, in two letters.",
        pattern="^[a-z]{2}$", to="json.language_preference",
    )  # fmt: skip

    @validates_schema
    def check_domains(self, data: dict[str, Any], **kwargs: Any) -> None:
        """Raise ValidationError if domains are both allowed and excluded.

        Source: docs.perplexity.ai/docs/agent-api/filters, "Domain Filters".
        """
        excluded = [domain.startswith("-") for domain in data.get("domains", ())]
        if any(excluded) and not all(excluded):
            raise ValidationError("Put a `-` in front of all of them, or of none.", "domains")


def _summarize(
    call: Call, request: Outgoing, *, recency: str | None = None, domains: Sequence[str] = ()
) -> dict[str, Any]:
    filters = {"search_recency_filter": recency, "search_domain_filter": domains}
    return _answer(call, request, filters)


def _answer(
    call: Call, request: Outgoing, filters: Mapping[str, Any], size: str | None = None
) -> dict[str, Any]:
    """Return the answer of a run whose searches have these filters. It refuses unknown fields."""
    tool: dict[str, Any] = {"type": "web_search"}
    if kept := {name: value for name, value in filters.items() if value}:
        tool["filters"] = kept
    if size:
        tool["search_context_size"] = size
    return ANSWER.read(call.send(request.plus(json={"tools": [tool]})))


summarize = Endpoint(
    name="search-web", vendor=PERPLEXITY, category="search", access=PAID_READ,
    summary="A summary of what the web says, with its sources.",
    says=Says(
        "Searching the web for “{query}”",
        "Searched the web for “{query}”: {citations:source}",
    ),
    docs=DOCS, meter=METER, seconds=90,
    takes=Question,
    asks=post("/v1/agent", json={**SEARCHING, "instructions": SUMMARIZE}),
    run=_summarize, gives=ANSWER,
    examples=(example(
        {"query": "How large is Jupiter?", "recency": "year", "language": "en",
         "domains": ["-a.example", "-b.example"]},
        "POST /v1/agent", File("perplexity/answer.json"),
        body={
            "model": "perplexity/sonar", "tool_choice": {"type": "web_search"},
            "preset": "fast", "instructions": SUMMARIZE,
            "input": "How large is Jupiter?", "language_preference": "en",
            "tools": [{"type": "web_search", "filters": {
                "search_recency_filter": "year",
                "search_domain_filter": ["-a.example", "-b.example"],
            }}],
        },
    ),),
)  # fmt: skip


class PromptedQuestion(Question):
    prompt = Words(
        "The instructions: what to look for, and how to answer.",
        most=20_000, to="json.instructions", required=True,
    )  # fmt: skip
    model = _model(*PRESETS)
    afterDate = Day("Only pages published after this day; not with `recency`.")
    beforeDate = Day("Only pages published before this day; not with `recency`.")
    searchContextSize = Choice(
        "low", "medium", "high", about="How much of the pages to read.", default="low"
    )
    maxTokens = Count(
        "The length of the answer, with what the model thinks, in tokens.", least=16, most=128_000,
        to="json.max_output_tokens",
    )  # fmt: skip
    temperature = Amount("How freely to word the answer.", least=0, most=2, to="json.temperature")

    @validates_schema
    def check_dates(self, data: dict[str, Any], **kwargs: Any) -> None:
        if "recency" in data and ("afterDate" in data or "beforeDate" in data):
            raise ValidationError("Not together with a date.", "recency")


def _prompted(
    call: Call,
    request: Outgoing,
    *,
    search_context_size: str,
    recency: str | None = None,
    domains: Sequence[str] = (),
    after_date: str | None = None,
    before_date: str | None = None,
) -> dict[str, Any]:
    filters = {
        "search_recency_filter": recency,
        "search_domain_filter": domains,
        "search_after_date_filter": _month_first(after_date),
        "search_before_date_filter": _month_first(before_date),
    }
    return _answer(call, request, filters, search_context_size)


def _month_first(day: str | None) -> str | None:
    return f"{date.fromisoformat(day):%m/%d/%Y}" if day else None


prompted = Endpoint(
    name="search-web-ai", vendor=PERPLEXITY, category="search", access=PAID_READ,
    summary="An answer from the web that follows instructions, with its sources.",
    docs=DOCS, meter=METER, seconds=180,
    takes=PromptedQuestion, asks=post("/v1/agent", json=SEARCHING),
    run=_prompted, gives=ANSWER,
    examples=(example(
        {"query": "How large is Jupiter?", "prompt": "Answer in one sentence.",
         "model": "sonar-deep-research", "domains": ["nasa.gov"], "language": "en",
         "afterDate": "2026-01-31", "beforeDate": "2026-11-01", "maxTokens": 4000,
         "temperature": 0.2},
        "POST /v1/agent", File("perplexity/answer.json"),
        body={
            "model": "perplexity/sonar", "tool_choice": {"type": "web_search"},
            "preset": "medium", "max_output_tokens": 4000,
            "instructions": "Answer in one sentence.", "input": "How large is Jupiter?",
            "language_preference": "en", "temperature": 0.2,
            "tools": [{"type": "web_search", "search_context_size": "low", "filters": {
                "search_domain_filter": ["nasa.gov"], "search_after_date_filter": "01/31/2026",
                "search_before_date_filter": "11/01/2026",
            }}],
        },
    ), example(
        {"query": "Is there news of Jupiter?", "prompt": "Be brief.", "recency": "week"},
        "POST /v1/agent", File("perplexity/answer.json"),
        body={
            "model": "perplexity/sonar", "tool_choice": {"type": "web_search"},
            "preset": "fast", "instructions": "Be brief.",
            "input": "Is there news of Jupiter?",
            "tools": [{"type": "web_search", "search_context_size": "low",
                       "filters": {"search_recency_filter": "week"}}],
        },
    )),
)  # fmt: skip

ENDPOINTS = (summarize, prompted)
