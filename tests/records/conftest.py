"""The service as processes, with subscribers."""

import json
import uuid
from collections.abc import Callable
from typing import Any

import pytest
import requests

from tests.records.listening import Subscriber, token_of
from tests.services import Service


class Hands:
    """Somebody who changes records through HTTP."""

    def __init__(self, service: Service, subject: str, role: str = "user") -> None:
        self.url = f"{service.url}/api/records"
        self.session = requests.Session()
        self.session.headers["Authorization"] = f"Bearer {token_of(service, subject, role)}"

    def call(self, method: str, path: str, body: Any = None, **headers: str) -> requests.Response:
        given = None if body is None else json.dumps(body)
        return self.session.request(method, f"{self.url}/{path}", data=given, headers=headers)

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
    """The service as a process, on each database; the tests of a module share it."""
    running = Service(databases.make(request.param)).start()
    yield running
    running.remove()


@pytest.fixture
def called() -> Callable[[str], str]:
    """The name under which somebody goes in this test alone."""
    suffix = uuid.uuid4().hex[:8]
    return lambda name: f"{name}-{suffix}"


@pytest.fixture
def subscriber(live_service, called) -> Callable[..., Subscriber]:
    """Connect somebody; closed at the test's end."""
    opened: list[Subscriber] = []

    def connect(name: str = "alice", **options: Any) -> Subscriber:
        opened.append(Subscriber(live_service, called(name), **options))
        return opened[-1]

    yield connect
    for one in opened:
        one.close()


@pytest.fixture
def hands(live_service, called) -> Callable[..., Hands]:
    made: list[Hands] = []

    def of(name: str = "alice", role: str = "user") -> Hands:
        made.append(Hands(live_service, called(name), role))
        return made[-1]

    yield of
    for one in made:
        one.session.close()
