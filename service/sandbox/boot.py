"""Start the sandbox: on loopback only, with secrets of its own.

The service calls the stand-ins over HTTP, with the same code as the real upstreams. Each worker
has its own loopback listener for them: on the public listener, turns would wait for connections
that other turns occupy.
Source: docs/contract.md, section 11.
"""

import ipaddress
from urllib.parse import urlsplit

from flask import Flask

from config import INSTANCE, ConfigError, Settings
from service.sandbox.listener import Listener
from service.sandbox.secrets import fill, suite_client
from service.sandbox.suite.client import Clients


def prepare(settings: Settings) -> Settings:
    """The settings, with the sandbox's own secrets where none are set.

    Raises `ConfigError` if the sandbox would be reachable from elsewhere.
    """
    if not settings.sandbox:
        return settings
    if not settings.sandbox_anywhere and not _is_local(settings):
        raise ConfigError("SANDBOX: must stay on loopback (or set SANDBOX_ANYWHERE)")
    return fill(settings, INSTANCE)


def init_app(app: Flask, settings: Settings) -> None:
    """`app.extensions["sandbox"]` is what gunicorn.conf.py starts in each worker."""
    if settings.sandbox:
        app.extensions["suite"] = Clients(app, *suite_client(INSTANCE), settings.own_url)
        app.extensions["sandbox"] = Listener(app, settings)


def _is_local(settings: Settings) -> bool:
    host = urlsplit(f"//{settings.listen}").hostname
    return _is_loopback(host) and _is_loopback(urlsplit(settings.own_url).hostname)


def _is_loopback(host: str | None) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host or "").is_loopback
    except ValueError:
        return False
