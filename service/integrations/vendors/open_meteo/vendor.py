"""Open-Meteo itself. Its free hosts are only for non-commercial use; keys have other hosts.

Source: github.com/open-meteo/open-meteo, Sources/App/Helper/Vapor.
"""

from service.integrations.declare.credential import QueryKey
from service.integrations.declare.faults import LONGEST_PAUSE, limited
from service.integrations.declare.json_paths import find
from service.integrations.declare.setting import base_url, secret
from service.integrations.declare.vendor import Reply, Vendor
from service.web.errors import ServiceError, UpstreamFailed

DOCS = "https://open-meteo.com/en/docs"
WEATHER, GEOCODING = "OPEN_METEO_BASE_URL", "OPEN_METEO_GEOCODING_BASE_URL"

# Seconds to wait, by the first word of a 429: "Hourly API request limit exceeded."
PAUSES = {"Minutely": 60, "Hourly": LONGEST_PAUSE, "Daily": LONGEST_PAUSE}
WRONG_KEY = "The supplied API key is invalid."  # of a 400


def _refusal(reply: Reply) -> ServiceError | None:
    """Read a refusal. Only words tell which limit is reached, or that the key is wrong."""
    reason = find(reply.body, "reason")
    if reply.status == 400 and reason == WRONG_KEY:
        return UpstreamFailed(upstreamStatus=400)
    if reply.status != 429 or not isinstance(reason, str):
        return None
    return limited(reply, PAUSES.get(reason.partition(" ")[0]))


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
    refusal=_refusal,
)
