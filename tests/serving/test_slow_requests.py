"""Who stalls while a request is sent gives the connection back; who is slow is waited for."""

import json
import re
import socket
import time
from contextlib import suppress
from pathlib import Path

import pytest

from service.auth.tokens import issue
from serving.worker import BODY_STEP
from tests.faults.conftest import client_of
from tests.services import settings_for, wait_for

pytestmark = pytest.mark.settings(REQUEST_HEAD_SECONDS="1", REQUEST_BODY_SECONDS="2")
CREATE = b"POST /api/records/notes HTTP/1.1\r\nHost: localhost\r\n"
CALLBACK = b"POST /api/integrations/oauth/cloudsuite/callback HTTP/1.1\r\nHost: localhost\r\n"
FORM = b"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\nstate="


@pytest.fixture
def connect(service):
    opened = []

    def connecting() -> socket.socket:
        opened.append(socket.create_connection(("127.0.0.1", service.port), timeout=20))
        return opened[-1]

    yield connecting
    for sock in opened:
        sock.close()


@pytest.fixture
def bearer(service) -> bytes:
    token = issue(settings_for(service.database_url), "alice", "user", 600)
    return f"Authorization: Bearer {token}\r\n".encode()


def held(service) -> int:
    """Connections that the service has open; 0x01 is the kernel's ESTABLISHED."""
    port = f":{service.port:04X}"
    lines = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return sum(line[1].endswith(port) and line[3] == "01" for line in lines)


def answer_of(sock: socket.socket) -> tuple[int, str, dict]:
    """Status, head and JSON of all that comes until the service closes the connection."""
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
    assert (status, body["error"], body["message"]) == (408, "invalid_request", "Request Timeout")
    assert "Connection: close" in head


def test_one_byte_after_another_holds_no_connection(service, connect, bearer):
    socks = [connect() for _ in range(60)]
    for sock in socks:
        sock.sendall(CREATE + bearer)
    assert held(service) >= 60

    def drip_until_closed() -> bool:
        for sock in socks:
            with suppress(OSError):
                sock.send(b"x")
        time.sleep(0.1)
        return held(service) == 0

    wait_for(drip_until_closed)


def test_a_body_that_keeps_coming_is_taken_however_long_it_lasts(connect, bearer):
    """Half the time of each step, for longer than one step has: the rate counts, not the sum."""
    note = json.dumps({"title": "slow"}).encode().ljust(BODY_STEP * 3)
    sock = connect()
    sock.sendall(CREATE + bearer + b"Content-Length: %d\r\n\r\n" % len(note))
    for start in range(0, len(note), BODY_STEP):
        time.sleep(1)
        sock.sendall(note[start : start + BODY_STEP])
    assert sock.recv(100).startswith(b"HTTP/1.1 201")


def test_steps_that_come_early_leave_no_time_for_later_ones(connect, bearer):
    """Most of a body at once buys no wait for its end: its last bytes have the time of a step."""
    sock = connect()
    sock.sendall(CREATE + bearer + b"Content-Length: 1000000\r\n\r\n" + b"{" * 999_990)
    assert answer_of(sock)[0] == 408


def test_a_pause_between_requests_is_closed_without_a_word(connect):
    sock = connect()
    sock.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
    whole = sock.makefile("rb").read()
    assert whole.count(b"HTTP/1.1") == 1


def test_a_body_nobody_reads_does_not_hold_its_connection(service, connect):
    """Refused by its head, 401; what follows is read for a moment, so that the client hears it."""
    sock = connect()
    sock.sendall(CREATE + b"Content-Length: 1000000\r\n\r\n{")
    assert answer_of(sock)[0] == 401
    wait_for(lambda: held(service) == 0)


def test_a_stream_outlasts_the_limits_of_requests(connect, bearer, service):
    client = client_of(service)
    turn = client.ask(client.new_chat(), "count to 400", "u")
    assert turn.chunks[-1]["type"] == "finish"
