"""The service: chat with tools, behind one bearer token.

`assemble` is the whole wiring: explicit lists of extensions, blueprints and commands.
"""

import importlib
from typing import Any

from flask import Flask
from flask_cors import CORS

from config import ConfigError, Settings, load
from service import database, edge, errors, observe, operations
from service.auth import bearer
from service.billing.views import credits as credits_routes
from service.chat import keeper
from service.chat.collections import BUILT_IN
from service.chat.tools.lookups import LOOKUPS
from service.chat.tools.records import RECORDS
from service.chat.tools.tool import Tools
from service.chat.turns import turns
from service.chat.views import chats
from service.cli import credits, keys, people, work
from service.console.views import console
from service.deferred import Extensions
from service.extensions import db, migrate
from service.integrations import everything
from service.integrations.oauth import oauth
from service.integrations.views import integrations
from service.json_values import Provider
from service.providers import catalog
from service.records import socket
from service.records.collection import Collections
from service.records.views import records
from service.sandbox import boot
from service.sandbox import collections as sandbox_collections
from service.sandbox.suite.pages.views import pages as suite_pages
from service.upstream import Upstream

BLUEPRINTS = (
    operations.operations,
    console,
    chats,
    turns,
    socket.socket,
    records,
    credits_routes,
    oauth,
    integrations,
)
COMMANDS = (people.token, people.users, credits.credits, keys.keys, work.ask, work.sweep)
BODY_LIMIT = 1 << 20  # bytes


def create_app(settings: Settings | None = None) -> Flask:
    """The app, ready to serve. Raises `ConfigError`, which names the setting at fault."""
    app = assemble(settings)
    app.extensions.complete()
    return app


def assemble(settings: Settings | None = None) -> Flask:
    """The app as commands need it: what takes a secret is made when it is asked for.

    Raises `ConfigError`, here or then.
    """
    settings = boot.prepare(settings or load())
    app = Flask("service", static_folder=None)
    app.extensions = Extensions()
    app.config["SETTINGS"] = settings
    app.config["MAX_CONTENT_LENGTH"] = BODY_LIMIT
    app.json = Provider(app)
    observe.configure_logs(settings.secrets)
    _open_database(app, settings)
    upstream = app.extensions["upstream"] = Upstream()
    app.extensions["models"] = catalog.models(settings)
    keeper.init_app(app)
    socket.init_app(app)
    _declare(app, settings)
    _defer_secrets(app, settings, upstream)
    _answer_requests(app, settings)
    boot.init_app(app, settings)
    return app


def _defer_secrets(app: Flask, settings: Settings, upstream: Upstream) -> None:
    names = ("verifier", "owner")
    app.extensions.defer(names, lambda: bearer.open_door(app, settings, upstream))
    names = ("vendor_settings", "proxy")
    app.extensions.defer(names, lambda: everything.init_app(app, settings))


def _open_database(app: Flask, settings: Settings) -> None:
    app.config["SQLALCHEMY_DATABASE_URI"] = settings.database_url
    options = database.engine_options(settings.database_url, settings.database_pool_size)
    app.config["SQLALCHEMY_ENGINE_OPTIONS"] = options
    db.init_app(app)
    migrate.init_app(app, db)
    database.init_app(app, settings.sqlite_sync)


def _declare(app: Flask, settings: Settings) -> None:
    """Collections and tools: our own, then those of the modules that `EXTENSIONS` names."""
    modules = [_extension(path) for path in settings.extensions]
    if settings.sandbox:
        modules.append(sandbox_collections)
    collections = [c for module in modules for c in getattr(module, "COLLECTIONS", ())]
    tools = [t for module in modules for t in getattr(module, "TOOLS", ())]
    try:
        app.extensions["collections"] = Collections([*BUILT_IN, *collections])
        declared = Tools([*LOOKUPS, *RECORDS, *tools])
    except ValueError as error:
        raise ConfigError(f"EXTENSIONS: {error}") from None
    try:
        app.extensions["tools"] = declared.only(settings.tools_allowed)
    except ValueError as error:
        raise ConfigError(f"TOOLS_ALLOWED: {error}") from None


def _extension(path: str) -> Any:
    try:
        return importlib.import_module(path)
    except ImportError as error:
        raise ConfigError(f"EXTENSIONS: {path} can't be imported ({error})") from error


def _answer_requests(app: Flask, settings: Settings) -> None:
    """The order of these is the order in which a request meets them."""
    observe.init_app(app)
    bearer.init_app(app)
    edge.init_app(app)
    errors.init_app(app)
    exposed = ["X-Asst-Id", "X-Request-Id", "Retry-After"]
    CORS(
        app, resources={r"/api/*": {"origins": list(settings.cors_origins)}}, expose_headers=exposed
    )
    for blueprint in (*BLUEPRINTS, *([suite_pages] if settings.sandbox else [])):
        app.register_blueprint(blueprint)
    for command in COMMANDS:
        app.cli.add_command(command)
