"""Open-Meteo: forecasts, current weather, and a search for their places.

Source: open-meteo.com/en/docs and /en/docs/geocoding-api.
"""

from service.integrations.vendors.open_meteo.places import ENDPOINTS as PLACES
from service.integrations.vendors.open_meteo.weather import ENDPOINTS as WEATHER

ENDPOINTS = (*WEATHER, *PLACES)
