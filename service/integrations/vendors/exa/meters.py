"""The most that a call of Exa can cost, and the cost that it reports, in US dollars."""

from collections.abc import Mapping
from typing import Any

from service.billing import prices
from service.integrations.declare.meter import Meter


def _search(values: Mapping[str, Any]) -> float:
    results: int = values["numResults"]
    summaries = results * prices.EXA_SUMMARY if "summaryQuery" in values else 0
    base: float = prices.EXA_DEEP.get(values.get("type", "auto"), prices.EXA_SEARCH)
    return base + max(results - prices.EXA_INCLUDED, 0) * prices.EXA_RESULT + summaries


def _contents(values: Mapping[str, Any]) -> float:
    """Return the most that contents cost. Without a requested kind, Exa gives the text."""
    pages: int = len(values["urls"]) * (1 + values["subpages"])
    kinds: tuple[bool, ...]
    kinds = (values["text"], "highlightsQuery" in values, "summaryQuery" in values)
    return pages * max(sum(kinds), 1) * prices.EXA_PAGE


def _reported_cost(data: Any) -> Any:
    return data["costDollars"]


SEARCHES = Meter(_search, _reported_cost)
CONTENTS = Meter(_contents, _reported_cost)
ANSWERS = Meter(lambda values: prices.EXA_ANSWER, _reported_cost)
RUNS = Meter(lambda values: prices.EXA_RUN[values["effort"]], _reported_cost)
