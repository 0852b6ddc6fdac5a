"""Exa: semantic web search, page contents, answers, and research by its agent.

Source: exa.ai/docs/reference, version 2.0.0. Its `/research` is gone (410), its `/findSimilar`
deprecated: the vendor's own migrations are `/agent/runs` and a search for "pages similar to".

Prices are flat, from exa.ai/docs/admin/pricing (2026-11) at 50 credits for a US dollar. With up to
10 results a search is listed at $0.007 and a deep one at $0.015 (0.35 and 0.75 credits), an answer
at $0.005 (0.25), a page at $0.001 for each kind of content (1 credit: 20 of them), a run of the
agent at $0.012 to $1.00 by its effort (50), where `auto` is metered.
"""

from service.integrations.vendors.exa.research import research
from service.integrations.vendors.exa.search import ENDPOINTS as SEARCHES

ENDPOINTS = (*SEARCHES, research)
