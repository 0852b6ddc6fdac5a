"""How the sandbox starts: only on loopback, with secrets of its own.

Its stand-ins are reached over real HTTP, through the same code as the real ones, on a loopback
listener of each worker's own: over the public one, turns would wait for connections that turns
hold.
Source: contract section 11.
"""

import ipaddress
from urllib.parse import urlsplit

from flask import Flask

from config import INSTANCE, ConfigError, Settings
from service.sandbox.listener import Listener
from service.sandbox.secrets import fill, suite_client
from service.sandbox.suite.client import Client


def prepare(settings: Settings) -> Settings:
    """The settings with the sandbox's own secrets where none are given.

    Raises `ConfigError` if the sandbox would be reachable from elsewhere.
    """
    if not settings.sandbox:
        return settings
    if not settings.sandbox_anywhere and not _stays_here(settings):
        raise ConfigError("SANDBOX: must stay on loopback (or set SANDBOX_ANYWHERE)")
    return fill(settings, INSTANCE)


def init_app(app: Flask, settings: Settings) -> None:
    """`app.extensions["sandbox"]` is what gunicorn.conf.py starts in each worker."""
    if settings.sandbox:
        app.extensions["suite"] = Client(*suite_client(INSTANCE), settings.own_url)
        app.extensions["sandbox"] = Listener(app, settings)


def _stays_here(settings: Settings) -> bool:
    host = urlsplit(f"//{settings.listen}").hostname
    return _loopback(host) and _loopback(urlsplit(settings.own_url).hostname)


def _loopback(host: str | None) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host or "").is_loopback
    except ValueError:
        return False
