"""Set up the stand-ins. This module is loaded only if the sandbox is on."""

from flask import Flask

from config import INSTANCE, Settings
from service.sandbox.listener import Listener
from service.sandbox.secrets import suite_client
from service.sandbox.suite.client import SUITE_CLIENTS, Clients
from service.sandbox.suite.pages.views import pages


def init_app(app: Flask, settings: Settings) -> None:
    """Set `app.extensions["sandbox"]`, which gunicorn.conf.py starts in each worker."""
    SUITE_CLIENTS.set(app, Clients(app, *suite_client(INSTANCE), settings.own_url))
    app.extensions["sandbox"] = Listener(app, settings)
    app.register_blueprint(pages)
