"""Open-Meteo itself. Its free hosts are for non-commercial use only; a key has hosts of its own."""

from service.integrations.declare.credential import QueryKey
from service.integrations.declare.setting import base_url, secret
from service.integrations.declare.vendor import Vendor

DOCS = "https://open-meteo.com/en/docs"
WEATHER, GEOCODING = "OPEN_METEO_BASE_URL", "OPEN_METEO_GEOCODING_BASE_URL"

OPEN_METEO = Vendor(
    integration="weather",
    name="open-meteo",
    bases=(
        base_url(WEATHER, "https://api.open-meteo.com"),
        base_url(GEOCODING, "https://geocoding-api.open-meteo.com"),
    ),
    credential=QueryKey(
        secret(
            "OPEN_METEO_API_KEY",
            "a key; without it the free host is asked, for non-commercial use",
            required=False,
        ),
        "apikey",
    ),
    with_key={
        WEATHER: "https://customer-api.open-meteo.com",
        GEOCODING: "https://customer-geocoding-api.open-meteo.com",
    },
)
