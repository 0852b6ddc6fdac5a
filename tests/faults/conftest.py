"""Services as real processes, with a model that reports its connections."""

from collections.abc import Callable, Iterator

import pytest

from tests.faults.client import Exchange
from tests.faults.database_proxy import DatabaseProxy
from tests.faults.follower import Follower, Listener
from tests.faults.forks import Forks, run_forks
from tests.faults.model import RawModel
from tests.services import Service


@pytest.fixture(autouse=True)
def no_open_connections():
    yield
    while Exchange.opened:
        Exchange.opened.pop().sock.close()


@pytest.fixture
def model():
    raw = RawModel()
    yield raw
    raw.stop()


@pytest.fixture
def start(model, databases) -> Callable[..., Service]:
    """Start the service on a database of the given kind, with the raw model as provider A."""
    started = []

    def starting(kind: str = "sqlite", url: str | None = None, **values: object) -> Service:
        provider = {"PROVIDER_A_BASE_URL": model.url, "PROVIDER_A_API_KEY": "key"}
        service = Service(url or databases.make(kind), **{**provider, **values})
        started.append(service)
        return service.start()

    yield starting
    for service in started:
        service.remove()


@pytest.fixture
def proxied(databases, start):
    """A service with its own PostgreSQL database behind a proxy."""
    url = databases.make("postgresql")
    proxy = DatabaseProxy(databases.cluster.directory)
    service = start(url=url.replace(databases.cluster.directory, proxy.directory))
    yield service, proxy
    service.remove()
    proxy.stop()


@pytest.fixture(scope="module")
def shared_forks(databases) -> Iterator[Forks]:
    url = databases.make("postgresql")
    with run_forks(databases, url) as made:
        yield made
    databases.give_back(url)


@pytest.fixture
def forks(shared_forks) -> Forks:
    """Processes over an empty PostgreSQL database, to be killed at a message to it."""
    shared_forks.renew()
    return shared_forks


@pytest.fixture
def listen() -> Callable[..., Listener]:
    """Connect a listener to the socket, which is closed when the test ends."""
    listeners = []

    def listening(*arguments, **options) -> Listener:
        listeners.append(Listener(*arguments, **options))
        return listeners[-1]

    yield listening
    for listener in listeners:
        listener.stop()


@pytest.fixture
def follow() -> Callable[..., Follower]:
    """Start a follower, which reconnects to the socket until the test ends."""
    followers = []

    def following(*arguments) -> Follower:
        followers.append(Follower(*arguments))
        return followers[-1]

    yield following
    for follower in followers:
        follower.stop()
