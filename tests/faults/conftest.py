"""Real processes in front of a model that can be watched."""

from collections.abc import Callable

import pytest

from service.auth.tokens import issue
from tests.faults.client import Client, Exchange
from tests.faults.model import RawModel
from tests.services import Service, settings_for


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


def client_of(service: Service, subject: str = "alice") -> Client:
    settings = settings_for(service.database_url)
    return Client(service.port, issue(settings, subject, "user", 3600))
