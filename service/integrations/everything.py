"""All endpoints, vendor by vendor, and the proxy over them."""

from collections.abc import Iterable

from flask import Flask

from config import ConfigError, Settings
from service.integrations.calling.proxy import Proxy
from service.integrations.consent.scopes import suffixes
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
from service.sealing.seal import Sealer

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


def endpoints() -> tuple[Endpoint, ...]:
    """The built-in endpoints."""
    return tuple(item for module in BUILT_IN for item in module.ENDPOINTS)


def catalog(vendors: Iterable[Vendor] = (), others: Iterable[Endpoint] = ()) -> Catalog:
    """The built-in endpoints, and those of other vendors.

    Raises ValueError for an endpoint whose vendor is not among them, and for what `Catalog` raises.
    """
    further, names = tuple(others), {vendor.name for vendor in vendors}
    for item in further:
        if item.vendor.name not in names:
            raise ValueError(f"the vendor of endpoint {item.name} is not in VENDORS")
    return Catalog([*endpoints(), *further])


def check_billing(every: Catalog, settings: Settings) -> None:
    """Raises `ConfigError` for an integration that is unknown, or that no developer can pay for."""
    by_name = {vendor.integration: vendor for vendor in every.vendors}
    for name, billing in settings.integrations_billing.items():
        if name not in by_name:
            raise ConfigError(f"INTEGRATIONS_BILLING: no integration is named {name!r}")
        if by_name[name].oauth and billing == "developer":
            reason = f"must leave {name} at user: its tokens are each user's own"
            raise ConfigError(f"INTEGRATIONS_BILLING: {reason}")


def check_scope_names(every: Catalog, settings: Settings) -> None:
    """Raises `ConfigError` for another name of a scope that no integration has."""
    for oauth in [vendor.oauth for vendor in every.vendors if vendor.oauth]:
        setting = oauth.scope_names_setting
        given = suffixes(settings.vendors.get(setting.name, "")) if setting else {}
        if setting and (unknown := sorted(given.keys() - {*oauth.neutral_scopes, *oauth.identity})):
            raise ConfigError(f"{setting.name}: must name scopes of ours, not {unknown[0]!r}")


def set_up(app: Flask, settings: Settings, every: Catalog) -> None:
    """`app.extensions["proxy"]`, and the vendors' settings, which the sandbox may redirect.

    Raises `ConfigError`.
    """
    app.extensions["vendor_settings"] = dict(settings.vendors)
    app.extensions["proxy"] = Proxy(app, every, Sealer(settings.token_encryption_keys))
