"""What Exa charges, in US dollars.

Source: exa.ai/docs/admin/pricing and exa.ai/docs/changelog/pricing-update (November 2026).
"""

from collections.abc import Mapping
from typing import Any

from service.integrations.meter import Meter

SEARCH = 0.007  # with up to 10 results, their text and highlights
DEEP = {"deep-lite": 0.012, "deep": 0.012, "deep-reasoning": 0.015}
INCLUDED = 10
RESULT = 0.001  # beyond those
SUMMARY = 0.001  # of a page
PAGE = 0.001  # for each kind of content
ANSWER = 0.005
# A run with `auto` is metered: $5 unless a budget is given, and $1 is the least that can be.
MOST_OF_A_RUN = 1
RUN = {"low": 0.025, "medium": 0.10, "high": 0.50, "xhigh": 1.0, "auto": MOST_OF_A_RUN}


def _search(asked: Mapping[str, Any]) -> float:
    results = asked["numResults"]
    summaries = results * SUMMARY if "summaryQuery" in asked else 0
    base = DEEP.get(asked.get("type", "auto"), SEARCH)
    return base + max(results - INCLUDED, 0) * RESULT + summaries


def _contents(asked: Mapping[str, Any]) -> float:
    """Without any kind of content, Exa gives the text."""
    pages = len(asked["urls"]) * (1 + asked["subpages"])
    kinds = (asked["text"], "highlightsQuery" in asked, "summaryQuery" in asked)
    return pages * max(sum(kinds), 1) * PAGE


def _told(data: Any) -> Any:
    return data["costDollars"]


SEARCHES = Meter(_search, _told)
CONTENTS = Meter(_contents, _told)
ANSWERS = Meter(lambda asked: ANSWER, _told)
RUNS = Meter(lambda asked: RUN[asked["effort"]], _told)
