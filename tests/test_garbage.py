"""What has ended is freed at once. The collector looks at old objects seldom, because that stops
all streams of a worker; what only it can free makes the worker grow meanwhile."""

import gc
import socket
from contextlib import suppress

import pytest
from sqlalchemy.exc import OperationalError

from service.chat.stream.channel import Channel
from service.chat.turn.running import Run
from service.chat.turn.step import Step
from service.database import sqlite
from service.generation import model_call
from service.generation.pace import PacedReader
from service.integrations.calling.attempt import Attempt
from service.integrations.calling.call import Call
from service.integrations.calling.sending import Sender
from service.outbound.arrivals import Arrivals
from service.outbound.body import Dechunker
from service.outbound.stream import PooledStream
from service.providers.events import ProviderError
from service.records.outlet import Outlet
from service.records.session import SocketSession
from service.websockets.websocket import WebSocket
from tests.app_database import lost_at
from tests.people import types
from tests.services import on_sqlite
from tests.socket_sessions import session_on

pytestmark = on_sqlite
OURS = (
    *(Channel, Dechunker, PacedReader, PooledStream, Run, Step),
    *(Attempt, Call, Sender),
    *(Outlet, SocketSession, WebSocket),
)


@pytest.fixture
def found():
    """What the collector has found of these since the test began; other tests leave whole apps."""
    gc.collect()
    gc.freeze()  # to look through all of these again takes seconds
    gc.disable()

    def ours():
        gc.set_debug(gc.DEBUG_SAVEALL)
        gc.collect()
        return [type(one) for one in gc.garbage if type(one) in OURS]

    yield ours
    gc.set_debug(0)
    gc.garbage.clear()
    gc.enable()


TURNS = [
    *("count to 30", "call user.current with {}", "fail: cut"),
    'call records.create with {"values": {}}',
    'call integrations.call with {"endpoint": "none", "input": {}}',
]


@pytest.mark.parametrize("content", TURNS)
def test_a_turn_leaves_no_cycle(alice, found, content):
    chat = alice.new_chat()
    for _ in range(3):
        alice.turn(chat, content)
    assert found() == []


@pytest.mark.parametrize("key", [{}, {"Idempotency-Key": "garbage-1"}])
def test_a_call_leaves_no_cycle(alice, found, key):
    for number in range(3):
        headers = {name: f"{value}-{number}" for name, value in key.items()}
        path, body = "/api/integrations/neuralsearch-search", {"query": f"kites {number}"}
        assert alice.post(path, body, headers=headers).status_code == 200
    assert found() == []


@pytest.mark.parametrize("name", ["neuralsearch-search", "none"])
def test_a_refused_call_leaves_no_cycle(alice, found, name):
    for _ in range(3):
        assert alice.post(f"/api/integrations/{name}", {"other": 1}).status_code in (400, 404)
    assert found() == []
    assert [one for one in gc.garbage if isinstance(one, BaseException)] == []


def test_an_ended_socket_leaves_no_cycle(app, found):
    for _ in range(3):
        serve_and_end(app)
    assert found() == []


class Interrupted(BaseException):
    """Thrown into a greenlet that waits."""


def interrupt_a_statement(_app, _alice):
    progress = sqlite.ProgressHandler()
    progress._reason = Interrupted()
    with suppress(Interrupted):
        progress.raise_reason()


def fail_a_body(_app, _alice):
    ours, theirs = socket.socketpair()
    with ours, theirs:
        arrivals = Arrivals(Dechunker(), lambda: b"", lambda _: True, ours.fileno())
        arrivals.fail(Interrupted())
        with suppress(Interrupted):
            arrivals.result()


def store_a_turn_without_a_database(app, alice):
    with lost_at(app, "INSERT INTO messages"):
        assert types(alice.turn(alice.new_chat(), "hello"))[-1] == "error"


def ask_a_host_to_pause(_app, alice):
    """For longer than the turn may wait."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(model_call, "LONGEST_PAUSE", 0.5)
        assert types(alice.turn(alice.new_chat(), "/fail rate-limit"))[-1] == "error"


@pytest.mark.parametrize(
    "fail",
    [interrupt_a_statement, fail_a_body, store_a_turn_without_a_database, ask_a_host_to_pause],
    ids=lambda fail: fail.__name__,
)
def test_an_error_leaves_no_cycle(app, alice, found, fail):
    fail(app, alice)
    found()
    errors = (Interrupted, OperationalError, ProviderError)
    assert [type(one) for one in gc.garbage if isinstance(one, errors)] == []


def serve_and_end(app):
    ours, theirs = socket.socketpair()
    with ours, theirs, app.app_context():
        session = session_on(ours, app)
        session.begin()
        session.fall_behind()
        session.end()
        session.socket.close(1000)
