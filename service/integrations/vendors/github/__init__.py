"""GitHub: repositories, and what is in them. Everything only reads and costs nothing.

Source: docs.github.com/rest, API version 2022-11-28. Without a token 60 requests an hour are
allowed for our address, with one 5000.
"""

from service.integrations.vendors.github.files import ENDPOINTS as FILES
from service.integrations.vendors.github.repositories import ENDPOINTS as REPOSITORIES

ENDPOINTS = (*REPOSITORIES, *FILES)
