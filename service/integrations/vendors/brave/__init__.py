"""Brave Search: pages, images and videos of the web, without a model.

A search costs half a US cent. A search that fails costs nothing.
Source: api-dashboard.search.brave.com/app/documentation and /app/plans.
"""

from service.integrations.vendors.brave.searches import ENDPOINTS as SEARCHES

ENDPOINTS = SEARCHES
