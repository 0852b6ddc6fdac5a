"""The service as a process, with subscribers and HTTP clients."""

import json
import uuid
from collections.abc import Callable
from typing import Any

import pytest
import requests

from tests.records.listening import Subscriber, token_of
from tests.services import Service


class Hands:
    """A client that changes records by HTTP."""

    def __init__(self, service: Service, subject: str, role: str = "user") -> None:
        self.url = f"{service.url}/api/records"
        self.session = requests.Session()
        self.session.headers["Authorization"] = f"Bearer {token_of(service, subject, role)}"

    def call(self, method: str, path: str, body: Any = None, **headers: str) -> requests.Response:
        body = None if body is None else json.dumps(body)
        return self.session.request(method, f"{self.url}/{path}", data=body, headers=headers)

    def create(self, collection: str, **data: Any) -> dict[str, Any]:
        response = self.call("POST", collection, data)
        assert response.status_code == 201, response.text
        return response.json()

    def update(self, collection: str, record_id: str, **data: Any) -> dict[str, Any]:
        response = self.call("PATCH", f"{collection}/{record_id}", data)
        assert response.status_code == 200, response.text
        return response.json()

    def delete(self, collection: str, record_id: str) -> None:
        response = self.call("DELETE", f"{collection}/{record_id}")
        assert response.status_code == 200, response.text


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def live_service(request, databases):
    """The service as a process, on each database, shared by the tests of a module."""
    service = Service(databases.make(request.param)).start()
    yield service
    service.remove()


@pytest.fixture
def own_name() -> Callable[[str], str]:
    """Return a subject for a name that is unique to this test."""
    suffix = uuid.uuid4().hex[:8]
    return lambda name: f"{name}-{suffix}"


@pytest.fixture
def subscriber(live_service, own_name) -> Callable[..., Subscriber]:
    """Connect a subscriber, which is closed when the test ends."""
    subscribers: list[Subscriber] = []

    def connect(name: str = "alice", **options: Any) -> Subscriber:
        subscribers.append(Subscriber(live_service, own_name(name), **options))
        return subscribers[-1]

    yield connect
    for one in subscribers:
        one.close()


@pytest.fixture
def hands(live_service, own_name) -> Callable[..., Hands]:
    clients: list[Hands] = []

    def of(name: str = "alice", role: str = "user") -> Hands:
        clients.append(Hands(live_service, own_name(name), role))
        return clients[-1]

    yield of
    for one in clients:
        one.session.close()
