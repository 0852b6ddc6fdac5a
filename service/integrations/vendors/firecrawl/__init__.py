"""Firecrawl: pages as Markdown, whole sites, web search, and an index of papers.

Source: docs.firecrawl.dev/api-reference, version 2, and its OpenAPI description.

Firecrawl charges credits, and reports how many in `creditsUsed`: see `meters.py`. It reads every
page of a PDF unless told otherwise, and each costs a credit, so every request states a limit.
"""

from service.integrations.vendors.firecrawl.crawl import ENDPOINTS as CRAWLS
from service.integrations.vendors.firecrawl.pages import ENDPOINTS as PAGES
from service.integrations.vendors.firecrawl.search import ENDPOINTS as SEARCHES

ENDPOINTS = (*PAGES, *CRAWLS, *SEARCHES)
