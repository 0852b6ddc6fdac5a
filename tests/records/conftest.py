"""The service as a process, with subscribers and HTTP clients."""

import uuid
from collections.abc import Callable
from typing import Any

import pytest

from service.records.cursor import Position
from tests.records.board import Board
from tests.records.http_writer import HttpWriter
from tests.records.subscribers import Subscriber
from tests.services import Service


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def live_service(request, databases):
    """The service as a process, on each database, shared by the tests of a module."""
    with Service(databases.make(request.param)) as service:
        yield service.start()


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
def new_writer(live_service, own_name) -> Callable[..., HttpWriter]:
    clients: list[HttpWriter] = []

    def of(name: str = "alice", role: str = "user") -> HttpWriter:
        clients.append(HttpWriter(live_service, own_name(name), role))
        return clients[-1]

    yield of
    for one in clients:
        one.session.close()


@pytest.fixture
def board(app):
    app.extensions["feed"].delivered = Position(0, 0)
    board = Board(app)
    yield board
    for session, client in board.clients.items():
        client.close()
        session.socket._sock.close()
