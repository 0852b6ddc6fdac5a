"""A client that stalls while it sends a request is disconnected; a slow client is not."""

import json
import re
import socket
import time
from contextlib import suppress
from pathlib import Path

import pytest

from service.auth.tokens import issue
from serving.timed_requests import BODY_STEP, RequestLimits
from tests.faults.client import client_of
from tests.services import settings_for, wait_for

pytestmark = pytest.mark.settings(
    REQUEST_HEAD_SECONDS="1", REQUEST_BODY_SECONDS="2", RESPONSE_SECONDS="2"
)
MESSAGE = "The request did not arrive in time."
CREATE = b"POST /api/records/notes HTTP/1.1\r\nHost: localhost\r\n"
CALLBACK = b"POST /api/integrations/oauth/cloudsuite/callback HTTP/1.1\r\nHost: localhost\r\n"
FORM = b"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\nstate="


@pytest.fixture
def bearer(service) -> bytes:
    token = issue(settings_for(service.database_url), "alice", "user", 600)
    return f"Authorization: Bearer {token}\r\n".encode()


def open_connections(service) -> int:
    """Count the open connections of the service. 0x01 is the kernel's ESTABLISHED."""
    port = f":{service.port:04X}"
    lines = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return sum(line[1].endswith(port) and line[3] == "01" for line in lines)


def answer_of(sock: socket.socket) -> tuple[int, str, dict]:
    """Read until the service closes the connection; return status, head and JSON."""
    whole = sock.makefile("rb").read()
    head, status, body = re.match(rb"(HTTP/1.1 (\d+).*?)\r\n\r\n(.*)", whole, re.S).groups()
    return int(status), head.decode(), json.loads(body)


BEGINNINGS = {
    "head": CREATE + b"X-Slow: ",
    "body": CREATE + b"Content-Length: 100\r\n\r\n{",
    "chunk": CREATE + b"Transfer-Encoding: chunked\r\n\r\n5\r\n{",
    "callback": CALLBACK + FORM,
}


@pytest.mark.parametrize("stalled", ["head", "body", "chunk", "callback"])
def test_a_request_that_stalls_is_answered_408_and_closed(connect, bearer, stalled):
    sock = connect()
    sock.sendall(BEGINNINGS[stalled].replace(b"localhost\r\n", b"localhost\r\n" + bearer, 1))
    status, head, body = answer_of(sock)
    assert (status, body["error"], body["message"]) == (408, "invalid_request", MESSAGE)
    assert "Connection: close" in head


@pytest.mark.parametrize(
    ("rest", "answers"), [(b"GET /heal", [b"200", b"408"]), (b"\r\n", [b"200"])]
)
def test_a_stalling_request_that_begins_in_the_packet_of_another_is_answered_408(
    connect, rest, answers
):
    sock = connect()
    sock.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n" + rest)
    assert re.findall(rb"HTTP/1.1 (\d+)", sock.makefile("rb").read()) == answers


def test_a_request_byte_by_byte_is_disconnected(service, connect, bearer):
    socks = [connect() for _ in range(60)]
    for sock in socks:
        sock.sendall(CREATE + bearer)
    assert open_connections(service) > 0  # on a slow machine, the first may have ended

    def drip_until_closed() -> bool:
        for sock in socks:
            with suppress(OSError):
                sock.send(b"x")
        time.sleep(0.1)
        return open_connections(service) == 0

    wait_for(drip_until_closed)


def test_a_steady_body_may_take_any_time(connect, bearer):
    """Each step takes less than its limit, and all of them more: it is not for the sum."""
    note = json.dumps({"title": "slow"}).encode().ljust(BODY_STEP * 3)
    sock = connect()
    sock.sendall(CREATE + bearer + b"Content-Length: %d\r\n\r\n" % len(note))
    for start in range(0, len(note), BODY_STEP):
        time.sleep(0.8)
        sock.sendall(note[start : start + BODY_STEP])
    assert sock.recv(100).startswith(b"HTTP/1.1 201")


def test_an_early_step_does_not_extend_the_next(connect, bearer):
    """If most of a body arrives at once, its last bytes have only the limit of one step."""
    sock = connect()
    sock.sendall(CREATE + bearer + b"Content-Length: 1000000\r\n\r\n" + b"{" * 999_990)
    assert answer_of(sock)[0] == 408


def test_an_idle_connection_is_closed_without_an_answer(connect):
    sock = connect()
    sock.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
    whole = sock.makefile("rb").read()
    assert whole.count(b"HTTP/1.1") == 1


def test_an_unread_body_does_not_keep_the_connection_open(service, connect):
    """Its head is refused with 401, and the body is read briefly, so that the client gets that."""
    sock = connect()
    sock.sendall(CREATE + b"Content-Length: 1000000\r\n\r\n{")
    assert answer_of(sock)[0] == 401
    wait_for(lambda: open_connections(service) == 0)


def test_what_follows_a_large_body_that_is_not_read_is_answered(connect):
    sock, size = connect(), 6_000_000
    sock.sendall(CREATE + b"Content-Length: %d\r\n\r\n" % size)
    sock.sendall(b"a" * size + b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    whole = sock.makefile("rb").read()
    assert re.findall(rb"HTTP/1.1 (\d+)", whole) == [b"401", b"200"]


@pytest.mark.parametrize("framing", [b"Content-Length: 6000000", b"Transfer-Encoding: chunked"])
def test_a_request_with_connection_close_is_answered_though_its_body_is_not_read(connect, framing):
    """If the service closed the connection with unread bytes, it would be reset."""
    sock = connect()
    sock.sendall(CREATE + b"Connection: close\r\n" + framing + b"\r\n\r\n")
    assert sock.recv(1, socket.MSG_PEEK)  # the service has answered
    sock.sendall(b"5b8d80\r\n" * (b"chunked" in framing) + b"a" * 6_000_000)
    assert answer_of(sock)[0] == 401


def test_a_request_with_connection_close_sees_the_end_of_its_answer_at_once(connect):
    sock, began = connect(), time.monotonic()
    sock.sendall(CREATE + b"Connection: close\r\nContent-Length: 100\r\n\r\n{")
    assert answer_of(sock)[0] == 401
    assert time.monotonic() - began < RequestLimits.idle / 2


def test_an_answered_request_with_a_broken_body_is_not_answered_again(connect):
    sock = connect()
    sock.sendall(CREATE + b"Transfer-Encoding: chunked\r\n\r\nno size\r\n")
    assert sock.makefile("rb").read().count(b"HTTP/1.1 ") == 1


def test_a_client_that_reads_no_answers_is_disconnected(service, connect):
    sock = connect()
    sock.sendall(b"GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n" * 100)
    wait_for(lambda: open_connections(service) == 0)
    with pytest.raises(ConnectionResetError):
        sock.makefile("rb").read()
    assert "Socket error" not in service.log.read_text()


def test_a_client_that_reads_answers_slowly_gets_them_all(connect):
    """They take longer than 2 s, and the connection has no room for them meanwhile."""
    sock, ask, pieces = connect(), b"GET /openapi.json HTTP/1.1\r\nHost: x\r\n", []
    began = time.monotonic()
    sock.sendall((ask + b"\r\n") * 29 + ask + b"Connection: close\r\n\r\n")
    while piece := sock.recv(1 << 19):  # half an answer at most
        pieces.append(piece)
        time.sleep(0.05)
    assert b"".join(pieces).count(b"HTTP/1.1 200") == 30
    assert time.monotonic() - began > 2


def test_a_stream_outlasts_the_limits_of_requests(connect, bearer, service):
    client = client_of(service)
    turn = client.ask(client.new_chat(), "count to 400", "u")
    assert turn.chunks[-1]["type"] == "finish"
