"""Searches that cost credits change nothing, although their vendors take a POST."""

import pytest

from service.integrations.everything import catalog
from service.mcp.tool_list import effects_of_endpoint

SEARCHES = [
    "neuralsearch-search",
    "neuralsearch-find-similar",
    "neuralsearch-contents",
    "neuralsearch-answer",
    "search-web",
    "search-web-ai",
    "search-web-raw",
    "advanced-web-search",
    "search-images",
    "search-videos",
    "search-pdfs",
    "search-academic",
    "crawl-scrape",
    "crawl-map",
    "crawl-search",
]


@pytest.mark.parametrize("name", SEARCHES)
def test_a_search_changes_nothing(name):
    assert effects_of_endpoint(catalog().named(name)).text.startswith(
        "Changes nothing. Costs up to "
    )
