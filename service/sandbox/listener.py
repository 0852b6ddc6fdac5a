"""A worker's loopback listener for the stand-ins, and the settings that point at it."""

from dataclasses import replace
from typing import Any

import structlog
from flask import Flask, Response
from gevent.pywsgi import WSGIHandler, WSGIServer

from config import Settings
from service.generation.completion import MODELS
from service.integrations.calling.proxy import PROXY
from service.integrations.declare.catalog import Catalog
from service.integrations.declare.setting import SANDBOX_URL, VENDOR_SETTINGS
from service.providers import catalog as providers
from service.sandbox import vendors
from service.sandbox.suite import oauth
from service.sandbox.suite import views as suite
from service.sandbox.suite.client import SUITE_CLIENTS
from service.sandbox.views import wires

KEY = "sandbox-key"

log = structlog.get_logger("sandbox")


class Handler(WSGIHandler):
    """Passes the unchanged address of the request line, where quoted slashes stay quoted."""

    def get_environ(self) -> dict[str, Any]:
        return {**super().get_environ(), "REQUEST_URI": self.path}


class Listener:
    """Serves the stand-ins on a free port and makes the app call them."""

    def __init__(self, app: Flask, settings: Settings) -> None:
        self._app = app
        self._settings = settings
        self._server: WSGIServer | None = None

    def start(self) -> str:
        """Start to serve, and return the base URL. Providers with a key or URL are not changed."""
        catalog = PROXY.of(self._app).catalog
        served_app = upstreams(self._app, catalog)
        self._server = WSGIServer(
            ("127.0.0.1", 0), served_app, log=None, error_log=None, handler_class=Handler
        )
        self._server.start()
        base = f"http://127.0.0.1:{self._server.server_port}"
        settings = replace(self._settings, **_provider_settings(self._settings, base))
        MODELS.set(self._app, providers.models(settings))
        SANDBOX_URL.set(self._app, base)
        own, clients = VENDOR_SETTINGS.of(self._app), SUITE_CLIENTS.of(self._app)
        VENDOR_SETTINGS.set(self._app, vendors.redirect_vendors(catalog, own, base, clients))
        log.info("sandbox", url=base)
        return base

    @property
    def is_running(self) -> bool:
        return self._server is not None

    def stop(self) -> None:
        if self._server:
            self._server.stop()


def upstreams(service: Flask, catalog: Catalog) -> Flask:
    """Return the stand-ins as a Flask app. Every response has `X-Sandbox: 1`."""
    app = Flask("sandbox", static_folder=None)
    app.register_blueprint(wires)
    app.register_blueprint(vendors.blueprint(catalog))
    app.register_blueprint(oauth.blueprint(service, SUITE_CLIENTS.of(service)))
    app.register_blueprint(suite.blueprint(service))

    @app.after_request
    def mark(response: Response) -> Response:
        response.headers["X-Sandbox"] = "1"
        return response

    return app


def _provider_settings(settings: Settings, base: str) -> dict[str, Any]:
    """Return the listener's URL and a key for every provider that has neither."""
    paths = {"a": "/provider-a", "b": "/provider-b/v1", "c": "/provider-c/v1"}
    changes: dict[str, Any] = {}
    for kind, path in paths.items():
        url, key = f"provider_{kind}_base_url", f"provider_{kind}_api_key"
        if not getattr(settings, url) and not getattr(settings, key):
            changes |= {url: base + path, key: KEY}
    return changes
