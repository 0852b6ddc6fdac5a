"""Exa: semantic web search, page contents, answers, and research by its agent.

Source: exa.ai/docs/reference, version 2.0.0. `/research` was removed (410), and `/findSimilar` is
deprecated. The vendor's replacements are `/agent/runs` and a search for "pages similar to".

Exa charges by the requested contents, and reports the cost in `costDollars`: see `meters.py`.
"""

from service.integrations.vendors.exa.answers import ENDPOINTS as ANSWERS
from service.integrations.vendors.exa.search import ENDPOINTS as SEARCHES

ENDPOINTS = (*SEARCHES, *ANSWERS)
