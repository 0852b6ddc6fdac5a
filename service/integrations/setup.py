"""Set up the proxy for an app's catalog, and check settings against the catalog."""

from flask import Flask

from config import ConfigError, Settings
from service.integrations.calling.proxy import PROXY, Proxy
from service.integrations.consent.scopes import suffixes
from service.integrations.declare.catalog import Catalog
from service.integrations.declare.setting import VENDOR_SETTINGS
from service.sealing.seal import Sealer


def check_billing(every: Catalog, settings: Settings) -> None:
    """Raise `ConfigError` for an unknown integration, or one that can't have developer billing."""
    names = {vendor.integration for vendor in every.vendors}
    of_users = {vendor.integration for vendor in every.vendors if vendor.oauth}
    for name, billing in settings.integrations_billing.items():
        if name not in names:
            raise ConfigError(f"INTEGRATIONS_BILLING: no integration is named {name!r}")
        if name in of_users and billing == "developer":
            reason = f"must leave {name} at user: its tokens are each user's own"
            raise ConfigError(f"INTEGRATIONS_BILLING: {reason}")


def check_scope_names(every: Catalog, settings: Settings) -> None:
    """Raise `ConfigError` for a setting that renames a scope which its integration lacks."""
    for oauth in [vendor.oauth for vendor in every.vendors if vendor.oauth]:
        setting = oauth.scope_names_setting
        given = suffixes(settings.vendors.get(setting.name, "")) if setting else {}
        if setting and (unknown := sorted(given.keys() - {*oauth.neutral_scopes, *oauth.identity})):
            raise ConfigError(f"{setting.name}: must name scopes of ours, not {unknown[0]!r}")


def set_up(app: Flask, settings: Settings, every: Catalog) -> None:
    """Set the app's `PROXY`, and the vendors' settings, which the sandbox may redirect.

    Raises `ConfigError`.
    """
    VENDOR_SETTINGS.set(app, dict(settings.vendors))
    PROXY.set(app, Proxy(app, every, Sealer(settings.token_encryption_keys)))
