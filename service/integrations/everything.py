"""All built-in endpoints by vendor, and the catalog of these and of an app's own endpoints."""

import re
from collections import Counter
from collections.abc import Iterable

from service.integrations.declare.catalog import Catalog
from service.integrations.declare.endpoint import Endpoint
from service.integrations.declare.vendor import Vendor
from service.integrations.vendors import (
    api_sports,
    apify,
    brave,
    coingecko,
    elevenlabs,
    exa,
    finnhub,
    firecrawl,
    github,
    google,
    google_places,
    heygen,
    jolpica,
    livekit,
    magnific,
    mta,
    nasa,
    newsapi,
    open_meteo,
    openai,
    people_data_labs,
    perplexity,
    polymarket,
    semantic_scholar,
    serpapi,
    slack,
    tavily,
    ticketmaster,
    tiktok,
    wikimedia,
    youtube,
)

BUILT_IN = (
    apify,
    api_sports,
    brave,
    coingecko,
    elevenlabs,
    exa,
    finnhub,
    firecrawl,
    github,
    google,
    google_places,
    heygen,
    jolpica,
    livekit,
    magnific,
    mta,
    nasa,
    newsapi,
    open_meteo,
    openai,
    people_data_labs,
    perplexity,
    polymarket,
    semantic_scholar,
    serpapi,
    slack,
    tavily,
    ticketmaster,
    tiktok,
    wikimedia,
    youtube,
)

# Names whose address belongs to a more specific route.
OWN_ROUTES = re.compile(
    "status|health|catalog|routes-schema|answers-schema"
    "|jobs/[^/]+|price/.+|oauth/[^/]+/(callback|disconnect)"
)


def endpoints() -> tuple[Endpoint, ...]:
    """Return the built-in endpoints."""
    return tuple(item for module in BUILT_IN for item in module.ENDPOINTS)


def catalog(vendors: Iterable[Vendor] = (), others: Iterable[Endpoint] = ()) -> Catalog:
    """Return a catalog of the built-in endpoints and those of other vendors.

    Raises ValueError for an endpoint whose vendor is not in `vendors`, for a name that leads to one
    of the service's own routes, for two vendors that replace each other, and in the cases in which
    `Catalog` raises it.
    """
    vendors, further = tuple(vendors), tuple(others)
    names = {vendor.name for vendor in vendors}
    for item in further:
        if item.vendor.name not in names:
            raise ValueError(f"the vendor of endpoint {item.name} is not in VENDORS")
        if taken := next(filter(OWN_ROUTES.fullmatch, item.names), None):
            reason = f"/api/integrations/{taken} is a route of the service's own"
            raise ValueError(f"endpoint {taken} could not be called: {reason}")
    every = (*endpoints(), *further)
    _check_vendors(
        [*vendors, *(one for item in every for one in (item.vendor, *item.alternatives))]
    )
    return Catalog(every, vendors)


def _check_vendors(vendors: Iterable[Vendor]) -> None:
    """Raise ValueError for two vendors with one name, or two with OAuth in one integration."""
    by_name: dict[str, Vendor] = {}
    for vendor in vendors:
        if by_name.setdefault(vendor.name, vendor) != vendor:
            raise ValueError(f"vendor {vendor.name} is declared in two ways")
    with_oauth = Counter(vendor.integration for vendor in by_name.values() if vendor.oauth)
    for name, count in with_oauth.items():
        if count > 1:
            raise ValueError(f"two vendors of {name} have OAuth")
