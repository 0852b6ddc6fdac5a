"""A client that sends faster than its requests are read does not keep others from being served."""

import socket

import gevent
import pytest

from service.auth.tokens import issue
from serving.refusals import linger
from serving.timed_requests import BODY_STEP, TimedUnreader
from tests.flood import fill
from tests.services import settings_for

TOGETHER = 300  # requests, whose answers fit into the buffers of a connection
ANSWERED = b"HTTP/1.1 "


def ask(sock: socket.socket) -> None:
    """Make a request as another client, and wait for the answer."""
    sock.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
    assert sock.recv(65_536).startswith(b"HTTP/1.1 200")


def answers_so_far(sock: socket.socket) -> int:
    sock.setblocking(False)
    try:
        return sock.recv(1 << 20).count(ANSWERED)
    except BlockingIOError:
        return 0


@pytest.mark.parametrize("size", [40, 8192], ids=["many in a read", "one in a read"])
def test_another_is_answered_between_requests_that_come_together(connect, size):
    flooding, other = connect(), connect()
    ask(other)
    bare = b"GET /healthz HTTP/1.1\r\nHost: x\r\nX-A: %b\r\n\r\n"
    request = bare % (b"a" * max(0, size - len(bare) + 2))
    sending = gevent.spawn(flooding.sendall, request * TOGETHER)
    gevent.sleep(0.01)
    ask(other)
    assert answers_so_far(flooding) < TOGETHER / 2
    sending.join()


def test_another_is_answered_while_a_body_comes_in_chunks_of_a_byte(service, connect):
    token = issue(settings_for(service.database_url), "alice", "user", 600)
    flooding, other = connect(), connect()
    head = f"POST /api/ai/chats HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n"
    chunks = b"1\r\n \r\n" * 200_000 + b"2\r\n{}\r\n0\r\n\r\n"
    body = b"Transfer-Encoding: chunked\r\n\r\n" + chunks
    sending = gevent.spawn(flooding.sendall, head.encode() + body)
    gevent.sleep(0.05)
    for _ in range(3):
        ask(other)
    assert answers_so_far(flooding) == 0
    sending.join()
    flooding.setblocking(True)
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
