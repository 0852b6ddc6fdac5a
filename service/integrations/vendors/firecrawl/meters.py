"""The most that a call of Firecrawl can cost, and the cost that it reports, in US dollars.

Firecrawl charges credits: one for a page, and one for each further page of a PDF.
"""

from collections.abc import Mapping
from math import ceil
from typing import Any

from service.billing import prices
from service.integrations.declare.addresses import host_of
from service.integrations.declare.meter import Meter, dollars_of

SEARCHED_PDF_PAGES = 5  # pages that are read of each PDF among a search's results
X_HOSTS = ("x.com", "twitter.com")

Values = Mapping[str, Any]


def dollars(credits_used: int | None) -> float | None:
    """Return the cost of Firecrawl's credits, or None if it reports none."""
    return dollars_of(credits_used, prices.FIRECRAWL_CREDIT)


def _scrape(values: Values) -> float:
    is_read = "jsonSchema" in values or "jsonPrompt" in values
    more = prices.FIRECRAWL_JSON if is_read else 0
    return (_page(values) + more) * prices.FIRECRAWL_CREDIT


def _page(values: Values) -> int:
    """Return the most of Firecrawl's credits that a page of the requested host costs."""
    more = prices.FIRECRAWL_X if _is_x(values["url"]) else 0
    return int(values["maxPdfPages"]) + more


def _is_x(url: str) -> bool:
    host = host_of(url)
    return host in X_HOSTS or host.endswith(tuple(f".{one}" for one in X_HOSTS))


def _crawl(values: Values) -> float:
    return int(values["limit"]) * _page(values) * prices.FIRECRAWL_CREDIT


def _search(values: Values) -> float:
    results: int = values["limit"] * len(values.get("sources", ["web"]))
    is_scraped = bool(values.get("scrapeFormats") or values.get("includeContent"))
    pages = results * SEARCHED_PDF_PAGES if is_scraped else 0
    return (ceil(results / 10) * prices.FIRECRAWL_SEARCH + pages) * prices.FIRECRAWL_CREDIT


def _reported_cost(data: Any) -> float | None:
    return dollars(data["creditsUsed"])


SCRAPES = Meter(_scrape, _reported_cost)
CRAWLS = Meter(_crawl, _reported_cost)
SEARCHES = Meter(_search, _reported_cost)
