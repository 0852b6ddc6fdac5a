"""GitHub: repositories and their contents. All endpoints only read and cost nothing.

Source: docs.github.com/rest, API version 2022-11-28. Without a token, 60 requests an hour are
allowed for our address; with a token, 5000.
"""

from service.integrations.vendors.github.files import ENDPOINTS as FILES
from service.integrations.vendors.github.repositories import ENDPOINTS as REPOSITORIES

ENDPOINTS = (*REPOSITORIES, *FILES)
