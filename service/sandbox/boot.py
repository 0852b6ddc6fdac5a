"""Start the sandbox, on loopback only, with its own secrets.

The service calls the stand-ins over HTTP, with the same code as the real upstreams. Each worker
has its own loopback listener for them: on the public listener, turns would wait for connections
that other turns occupy.
Source: docs/contract.md, section 11.
"""

import ipaddress
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

from flask import Flask

from config import INSTANCE, ConfigError, Settings
from config_values import names
from service.lazy import DeferredModule
from service.sandbox.secrets import database_file, fill

stand_ins = DeferredModule("service.sandbox.stand_ins")


def prepare(settings: Settings) -> Settings:
    """Return the settings, with the sandbox's own secrets if none are set.

    Raises `ConfigError` if the sandbox would be reachable from elsewhere.
    """
    if not settings.sandbox:
        return settings
    if not settings.sandbox_anywhere and not _is_local(settings):
        raise ConfigError("SANDBOX: must stay on loopback (or set SANDBOX_ANYWHERE)")
    return fill(_with_database(settings, INSTANCE), INSTANCE)


def init_app(app: Flask, settings: Settings) -> None:
    if settings.sandbox:
        stand_ins.init_app(app, settings)


def _with_database(settings: Settings, directory: Path) -> Settings:
    """Return the settings with the sandbox's own database, unless another one is set.

    So a later start without the sandbox does not find the sandbox's users.
    """
    if any(settings.environ.get(name) for name in ("DATABASE_URL", "DATABASE_URL_FILE")):
        return settings
    return replace(settings, database_url=f"sqlite:///{database_file(directory)}")


def _is_local(settings: Settings) -> bool:
    hosts = [urlsplit(f"//{address}").hostname for address in names(settings.listen)]
    return all(map(_is_loopback, (*hosts, urlsplit(settings.own_url).hostname)))


def _is_loopback(host: str | None) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host or "").is_loopback
    except ValueError:
        return False
