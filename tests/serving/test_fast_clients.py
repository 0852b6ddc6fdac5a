"""A client that sends faster than its requests are read does not keep others from being served."""

import json
import os
import signal
import socket
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import gevent
import pytest

from service.auth.tokens import issue
from serving.refusals import linger
from serving.timed_requests import BODY_STEP, TimedUnreader
from tests.endless_senders import fill
from tests.services import Service, settings_for, wait_for

TOGETHER = 40  # requests, which fit into the buffers of a connection, and their answers too


def ask(sock: socket.socket, name: str) -> None:
    """Make a request that the log calls by this name."""
    sock.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\nX-Request-Id: %b\r\n\r\n" % name.encode())


@contextmanager
def stopped(service: Service) -> Iterator[None]:
    """What is sent meanwhile has arrived before the worker reads any of it."""
    os.kill(service.worker, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(service.worker, signal.SIGCONT)


@pytest.fixture
def three(connect) -> list[socket.socket]:
    """Connections whose next request the worker waits for. Whichever of several it begins with, the
    second has another before or behind it that must not wait."""
    socks = [connect() for _ in range(3)]
    for sock in socks:
        ask(sock, "first")
        assert sock.recv(65_536).startswith(b"HTTP/1.1 200")
    return socks


def answered(service: Service) -> list[str]:
    """The names of the requests that were answered, in their order."""
    lines = [json.loads(line) for line in service.log.read_text().splitlines() if line[:1] == "{"]
    return [line["request_id"] for line in lines if line["event"] == "answered"]


def order(service: Service, names: Iterable[str]) -> list[str]:
    """The order in which these requests were answered."""
    expected = set(names)
    wait_for(lambda: expected <= set(answered(service)))
    return [name for name in answered(service) if name in expected]


@pytest.mark.parametrize("size", [60, 8192], ids=["many in a read", "one in a read"])
def test_another_client_is_answered_between_pipelined_requests(service, three, size):
    before, flooding, behind = three
    names = [f"flood-{number}" for number in range(10, 10 + TOGETHER)]
    bare = b"GET /healthz HTTP/1.1\r\nHost: x\r\nX-Request-Id: %b\r\nX-A: %b\r\n\r\n"
    room = b"a" * max(0, size - len(bare % (names[0].encode(), b"")))
    with stopped(service):
        ask(before, "before")
        flooding.sendall(b"".join(bare % (name.encode(), room) for name in names))
        ask(behind, "behind")
    among = order(service, ["before", "behind", *names])
    assert max(map(among.index, ("before", "behind"))) < TOGETHER / 2


def test_another_client_is_answered_while_a_body_arrives_in_chunks_of_a_byte(service, three):
    token = issue(settings_for(service.database_url), "alice", "user", 600)
    before, flooding, behind = three
    head = f"POST /api/ai/chats HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n"
    head += "X-Request-Id: flood\r\nTransfer-Encoding: chunked\r\n\r\n"
    body = b"1\r\n \r\n" * 50_000 + b"2\r\n{}\r\n0\r\n\r\n"
    with stopped(service):
        ask(before, "before")
        flooding.sendall(head.encode() + body)
        ask(behind, "behind")
    assert order(service, ["before", "behind", "flood"])[-1] == "flood"
    assert flooding.recv(65_536).startswith(b"HTTP/1.1 201")


def test_others_run_while_a_request_is_read_that_has_arrived_already():
    client, connection = socket.socketpair()
    with client, connection:
        assert fill(client) > 2 * BODY_STEP
        unreader = TimedUnreader(connection)
        reading = gevent.spawn(lambda: [unreader.chunk() for _ in range(8)])
        other = gevent.spawn(lambda: reading.dead)
        gevent.joinall([reading, other])
        assert sum(map(len, reading.value)) > BODY_STEP
    assert other.value is False


def test_others_run_while_the_rest_of_a_refused_request_is_read():
    client, connection = socket.socketpair()
    with client:
        fill(client)
    with connection:
        reading = gevent.spawn(linger, connection)
        other = gevent.spawn(lambda: reading.dead)
        gevent.joinall([reading, other])
    assert other.value is False
