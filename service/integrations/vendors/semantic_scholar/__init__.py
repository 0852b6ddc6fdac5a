"""Semantic Scholar: papers, their authors and citations, and texts that a model writes about them.

Source: api.semanticscholar.org/api-docs/graph, version 1. It is free. Without a key all callers
share one limit, so a 429 is frequent. A key allows one request a second.
"""

from service.integrations.vendors.semantic_scholar.citations import ENDPOINTS as CITATIONS
from service.integrations.vendors.semantic_scholar.letters import ENDPOINTS as LETTERS
from service.integrations.vendors.semantic_scholar.searches import ENDPOINTS as SEARCHES
from service.integrations.vendors.semantic_scholar.summaries import ENDPOINTS as SUMMARIES

ENDPOINTS = (*SEARCHES, *CITATIONS, *SUMMARIES, *LETTERS)
