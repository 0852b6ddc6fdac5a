"""People Data Labs: professional profiles, and texts about them that a model writes.

Profiles are personal data, so the endpoints that request them are off until the operator sets a
key.
"""

from service.integrations.vendors.people_data_labs import analysis, messages, search

ENDPOINTS = search.ENDPOINTS + analysis.ENDPOINTS + messages.ENDPOINTS
