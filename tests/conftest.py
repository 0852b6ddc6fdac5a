"""Fixtures: databases, apps, people, and the guards that every test runs under."""

import ipaddress
import shutil
import socket
from dataclasses import replace

import gevent
import pytest
from sqlalchemy import event

from config import Settings
from service.app_keys import APP_SETTINGS
from service.auth.users import rights_cache
from service.extensions import db
from service.generation.completion import MODELS
from service.observing import attribution
from service.outbound.upstream import Upstream
from service.providers import catalog
from service.sandbox import views
from tests import model_streams
from tests.app_caches import freeze_loaded_objects, shared_caches
from tests.billing.books import Books
from tests.depth import use_profile
from tests.faults.hosts import TEST_HOSTS
from tests.memory_directories import keep_files, make_own_directory
from tests.people import Person, person
from tests.running_app import running_app
from tests.services import Databases, Service, settings_for
from tests.upstream import Answer, ScriptedUpstream, Seen

use_profile()  # before a test module makes settings of its own
# A name that is not found is told to whoever asked for it.
DESCRIBED = "described"  # a property of tests that each call one endpoint
EXPECTED = (gevent.GreenletExit, SystemExit, KeyboardInterrupt, socket.gaierror)


@pytest.hookimpl(tryfirst=True)  # before pytest reads the option
def pytest_configure(config):
    keep_files(config)


def pytest_terminal_summary(terminalreporter):
    """Print how many endpoints' requests were compared with their vendors' descriptions."""
    passed = terminalreporter.getreports("passed")
    told = [
        given for report in passed for name, given in report.user_properties if name == DESCRIBED
    ]
    if told:
        text = "endpoints are checked against their vendors' published descriptions"
        terminalreporter.write_line(f"requests of {sum(told)} of {len(told)} {text}")


@pytest.fixture(scope="session")
def databases():
    directory = make_own_directory("service-sqlite-")
    made = Databases(directory)
    yield made
    made.remove()
    shutil.rmtree(directory)


@pytest.fixture(autouse=True, scope="session")
def parts_of_apps_made_once():
    freeze_loaded_objects()
    with shared_caches():
        yield


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request, databases) -> str:
    """An empty, migrated database; a test that asks for it runs on both kinds."""
    url = databases.make(request.param)
    yield url
    databases.give_back(url)


@pytest.fixture
def configure(request) -> dict:
    """Settings of the app under test, by `@pytest.mark.parametrize` or an override."""
    marker = request.node.get_closest_marker("settings")
    return dict(marker.kwargs) if marker else {}


@pytest.fixture
def settings(database_url, configure) -> Settings:
    return settings_for(database_url, **configure)


@pytest.fixture
def app(settings, monkeypatch):
    """The app with its sandbox running, as in a worker."""
    rights_cache.clear()
    monkeypatch.setattr(views, "TOKEN_SECONDS", 0.0005)
    with running_app(settings) as app:
        yield app


@pytest.fixture
def client(app):
    return app.test_client()


@pytest.fixture
def alice(app, client) -> Person:
    return person(client, APP_SETTINGS.of(app), "alice")


@pytest.fixture
def bob(app, client) -> Person:
    return person(client, APP_SETTINGS.of(app), "bob")


@pytest.fixture
def admin(app, client) -> Person:
    return person(client, APP_SETTINGS.of(app), "admin", "admin")


@pytest.fixture
def upstream():
    """A scripted upstream server; a test fills in its answers."""
    scripted = ScriptedUpstream()
    yield scripted
    scripted.stop()


@pytest.fixture
def served_by(app, upstream):
    """The scripted upstream in the place of all three providers."""
    urls = {f"provider_{kind}_base_url": upstream.url for kind in "abc"}
    keys = {f"provider_{kind}_api_key": f"key-{kind}-canary" for kind in "abc"}
    MODELS.set(app, catalog.models(replace(APP_SETTINGS.of(app), **urls, **keys)))
    return upstream


@pytest.fixture
def service(databases, configure):
    """The service as processes, on SQLite."""
    with Service(databases.make("sqlite"), **configure) as running:
        yield running.start()


@pytest.fixture(autouse=True)
def no_facts_of_an_earlier_test():
    """Otherwise all work of a test would count as that of a user whom an earlier test served."""
    attribution.begin()


@pytest.fixture(autouse=True)
def no_silent_greenlet_errors():
    """A greenlet's exception is only printed by gevent; here it fails the test."""
    hub = gevent.get_hub()
    original, raised = hub.handle_error, []

    def remember(context, kind, value, traceback):
        if not issubclass(kind, EXPECTED):
            raised.append(value)
        return original(context, kind, value, traceback)

    hub.handle_error = remember
    yield
    hub.handle_error = original
    assert not raised, raised


@pytest.fixture(autouse=True)
def no_outbound_calls(monkeypatch):
    """No test reaches a host other than this one."""
    connect = socket.socket.connect

    def guarded(made, address):
        host = address[0] if made.family in (socket.AF_INET, socket.AF_INET6) else None
        assert host is None or _is_here(ipaddress.ip_address(host)), f"a test calls {host}"
        return connect(made, address)

    monkeypatch.setattr(socket.socket, "connect", guarded)


def _is_here(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    """Whether it is this machine, or a namespace of it."""
    return address.is_loopback or address in TEST_HOSTS


@pytest.fixture
def caller():
    """Makes outbound requests."""
    made = Upstream()
    yield made
    made.close()


@pytest.fixture
def books(app):
    """The ledger, whose sums are checked at the end of the test."""
    books = Books(app)
    yield books
    books.check()


@pytest.fixture
def statements(app):
    """Every SQL statement of the test, in order."""
    executed: list[str] = []
    with app.app_context():
        engine = db.engine

    def note(_connection, _cursor, statement, *_rest):
        executed.append(statement)

    event.listen(engine, "before_cursor_execute", note)
    yield executed
    event.remove(engine, "before_cursor_execute", note)


@pytest.fixture
def stream_of():
    """A whole streamed answer for whichever wire asks."""

    def answering(text: str):
        def answer(seen: Seen) -> Answer:
            return Answer(
                model_streams.anthropic(text)
                if "messages" in seen.path
                else model_streams.openai(text)
            )

        return answer

    return answering
