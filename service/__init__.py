"""The service: chat with tools, behind one bearer token.

`assemble` is the whole wiring: explicit lists of extensions, blueprints and commands.
"""

from functools import partial

from config import Settings, load
from service import lifecycle
from service.activity.calls import CallRows
from service.admin.state import state as admin_state
from service.admin.views import admin
from service.app import Service
from service.app_keys import APP_SETTINGS
from service.auth import bearer
from service.auth.users import FOLLOW_PROFILE
from service.billing.views import credits as credits_routes
from service.browser.views import browser
from service.chat.finding.views import finding
from service.chat.relay import watchers
from service.chat.resume import resume
from service.chat.tools.tool import APP_TOOLS
from service.chat.turn import claim_watch
from service.chat.turns import turns
from service.chat.undo.views import changes
from service.chat.views import chats
from service.cli import catalog as catalog_commands
from service.cli import collections, credits, keys, migrations, people, work
from service.console.sign_in import sign_in
from service.console.views import console
from service.database import access as database
from service.database import detached
from service.declarations import declarations
from service.extensions import db
from service.generation.completion import MODELS
from service.integrations import setup as integrations_setup
from service.integrations import views as integration_views
from service.integrations.calling.call_log import CALL_ROWS
from service.integrations.declare.catalog import CATALOG, Catalog
from service.integrations.oauth import oauth
from service.integrations.views import integrations
from service.lazy import DeferredModule
from service.limits import concurrency, rates
from service.mcp.server import MCP_SERVER, Server
from service.mcp.views import mcp
from service.media import setup as media
from service.media.views import media as media_routes
from service.observing import logs, request_log
from service.observing.sampler import SAMPLER, Sampler
from service.outbound.upstream import UPSTREAM, Upstream
from service.providers import catalog as models
from service.records import socket
from service.records.collection import APP_COLLECTIONS
from service.records.views import records
from service.sandbox import boot
from service.sign_in import setup as sign_in_setup
from service.tokens.views import tokens
from service.upkeep import database_facts, profiles
from service.web import addresses, error_answers, operations, other_origins
from service.web.json_values import JsonProvider
from service.widgets.templates import WIDGET_TEMPLATES
from service.widgets.views import developer as widget_developer
from service.widgets.views import widgets

BLUEPRINTS = (
    operations.operations,
    console,
    sign_in,
    browser,
    chats,
    finding,
    turns,
    changes,
    resume,
    socket.socket,
    records,
    credits_routes,
    tokens,
    admin,
    admin_state,
    media_routes,
    widgets,
    oauth,
    integrations,
)
MCP_BLUEPRINTS = (mcp,)
SANDBOX_BLUEPRINTS = (widget_developer,)
COMMANDS = (
    migrations.migrations,
    people.token,
    people.users,
    credits.credits,
    keys.keys,
    catalog_commands.catalog,
    collections.collections,
    work.ask,
    work.sweep,
    work.backup,
)
BODY_LIMIT = 1 << 20  # bytes

migrating = DeferredModule("service.database.migrating")
tracing = DeferredModule("service.tracing.setup")


def import_deferred(settings: Settings) -> None:
    """Import the deferred modules that an app with these settings uses."""
    if settings.sandbox:
        boot.stand_ins.import_now()
    if settings.rate_limits:
        rates.stores.import_now()
    if settings.otel_exporter_otlp_endpoint:
        tracing.import_now()


def create_app(settings: Settings | None = None) -> Service:
    """Return the app, ready to serve. Raises `ConfigError`, which names the setting at fault."""
    app = assemble(settings)
    app.extensions.complete()
    return app


def assemble(settings: Settings | None = None) -> Service:
    """Return the app for commands: extensions that need a secret are made at their first use.

    Raises `ConfigError`, now or at that use.
    """
    declared = declarations(settings or load())
    settings = boot.prepare(declared.settings)
    app = Service("service")
    APP_SETTINGS.set(app, settings)
    app.config["MAX_CONTENT_LENGTH"] = BODY_LIMIT
    app.json = JsonProvider(app)
    logs.configure_logs(settings.secrets)
    SAMPLER.set(app, Sampler())
    lifecycle.init_app(app)
    _open_database(app, settings)
    upstream = UPSTREAM.set(app, Upstream())
    rates.init_app(app, settings)
    concurrency.init_app(app, settings)
    MODELS.set(app, models.models(settings))
    claim_watch.init_app(app)
    detached.init_app(app)
    watchers.init_app(app)
    database_facts.init_app(app)
    socket.init_app(app)
    APP_COLLECTIONS.set(app, declared.collections)
    APP_TOOLS.set(app, declared.tools)
    CATALOG.set(app, declared.catalog)
    CALL_ROWS.set(app, CallRows())
    FOLLOW_PROFILE.set(app, profiles.follow)
    WIDGET_TEMPLATES.set(app, declared.templates)
    MCP_SERVER.set(app, Server(app))
    _defer_secrets(app, settings, upstream, declared.catalog)
    _answer_requests(app, settings)
    boot.init_app(app, settings)
    if settings.otel_exporter_otlp_endpoint:
        tracing.init_app(app, settings)
    return app


def _defer_secrets(app: Service, settings: Settings, upstream: Upstream, catalog: Catalog) -> None:
    set_up_bearer = partial(bearer.set_up, app, settings, upstream)
    app.extensions.defer(("verifier", "owner", "owner_check"), set_up_bearer)
    names = ("sessions", "sign_ins")
    app.extensions.defer(names, lambda: sign_in_setup.set_up(app, settings, upstream))
    names = ("media", "media_sweeper")
    app.extensions.defer(names, lambda: media.set_up(app, settings))
    names = ("vendor_settings", "proxy")
    app.extensions.defer(names, lambda: integrations_setup.set_up(app, settings, catalog))


def _open_database(app: Service, settings: Settings) -> None:
    app.config["SQLALCHEMY_DATABASE_URI"] = settings.database_url
    options = database.engine_options(settings.database_url, settings.database_pool_size)
    app.config["SQLALCHEMY_ENGINE_OPTIONS"] = options
    db.init_app(app)
    app.extensions.defer(("migrate",), lambda: migrating.init_app(app), serving=False)
    database.init_app(app, settings.sqlite_sync)


def _answer_requests(app: Service, settings: Settings) -> None:
    """Register the handlers of requests, in the order in which a request passes them."""
    request_log.init_app(app)
    other_origins.init_app(app)
    bearer.init_app(app)
    addresses.init_app(app)
    app.finish_responses(integration_views.envelop)
    error_answers.init_app(app)
    if settings.cors_origins:  # without origins, it would run at every response in vain
        other_origins.allow(app, settings.cors_origins)
    switched = (MCP_BLUEPRINTS, settings.mcp), (SANDBOX_BLUEPRINTS, settings.sandbox)
    for blueprint in (*BLUEPRINTS, *(one for some, is_on in switched if is_on for one in some)):
        app.register_blueprint(blueprint)
    for command in COMMANDS:
        app.cli.add_command(command)
