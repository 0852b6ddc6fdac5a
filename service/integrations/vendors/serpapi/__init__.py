"""SerpApi: results of other search engines as data, one paid search for each call.

Source: serpapi.com.
"""

from service.integrations.vendors.serpapi.flights import ENDPOINTS as FLIGHTS
from service.integrations.vendors.serpapi.hotels import ENDPOINTS as HOTELS
from service.integrations.vendors.serpapi.shop import ENDPOINTS as SHOP

ENDPOINTS = (*SHOP, *FLIGHTS, *HOTELS)
