"""All endpoints, vendor by vendor, and the proxy over them."""

from flask import Flask

from config import ConfigError, Settings
from service.integrations.catalog import Catalog
from service.integrations.proxy import Proxy
from service.integrations.seal import Sealer
from service.integrations.vendors import exa, github, google, open_meteo

VENDORS = (exa, github, google, open_meteo)


def catalog() -> Catalog:
    return Catalog(endpoint for vendor in VENDORS for endpoint in vendor.ENDPOINTS)


def init_app(app: Flask, settings: Settings) -> None:
    """`app.extensions["proxy"]`, and the vendors' settings, which the sandbox may redirect.

    Raises `ConfigError`.
    """
    every = catalog()
    if unknown := set(settings.integrations_billing) - {v.integration for v in every.vendors}:
        raise ConfigError(f"INTEGRATIONS_BILLING: no integration is named {min(unknown)!r}")
    app.extensions["vendor_settings"] = dict(settings.vendors)
    app.extensions["proxy"] = Proxy(app, every, Sealer(settings.token_encryption_keys))
