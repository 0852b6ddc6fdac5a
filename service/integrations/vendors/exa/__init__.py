"""Exa: semantic web search, page contents, answers, and research by its agent.

Source: exa.ai/docs/reference, version 2.0.0. Its `/research` is gone (410), its `/findSimilar`
deprecated: the vendor's own migrations are `/agent/runs` and a search for "pages similar to".

Exa charges by what is asked for, and reports the cost in `costDollars`: see `meters.py`.
"""

from service.integrations.vendors.exa.answers import ENDPOINTS as ANSWERS
from service.integrations.vendors.exa.search import ENDPOINTS as SEARCHES

ENDPOINTS = (*SEARCHES, *ANSWERS)
