"""All endpoints, vendor by vendor, and the proxy over them."""

from flask import Flask

from config import Settings
from service.integrations.catalog import Catalog
from service.integrations.proxy import Proxy
from service.integrations.seal import Sealer
from service.integrations.vendors import exa, github, google, open_meteo

VENDORS = (exa, github, google, open_meteo)


def catalog() -> Catalog:
    return Catalog(endpoint for vendor in VENDORS for endpoint in vendor.ENDPOINTS)


def init_app(app: Flask, settings: Settings) -> None:
    """`app.extensions["proxy"]`, and the vendors' settings, which the sandbox may redirect."""
    app.extensions["vendor_settings"] = dict(settings.vendors)
    app.extensions["proxy"] = Proxy(app, catalog(), Sealer(settings.token_encryption_keys))
