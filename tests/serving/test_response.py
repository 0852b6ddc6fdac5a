"""The head of a response is written together with the first of its body."""

import socket

import pytest
from gunicorn.config import Config
from gunicorn.http.parser import RequestParser

from serving.response import JOINED, JoinedResponse

SIZED, STREAMED = [("Content-Length", "5")], [("Content-Type", "text/plain")]


@pytest.fixture
def ends():
    """Two sockets that keep the writes apart: one read returns what one write has sent."""
    ours, clients = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with ours, clients:
        clients.settimeout(0.2)
        yield ours, clients


def respond(sock, headers, *parts, method=b"GET", status="200 OK"):
    request = method + b" / HTTP/1.1\r\nHost: x\r\n\r\n"
    parsed = next(RequestParser(Config(), iter([request]), ("127.0.0.1", 1)))
    response = JoinedResponse(parsed, sock, Config())
    response.start_response(status, headers)
    for part in parts:
        response.write(part)
    response.close()


def writes(client):
    received = []
    while True:
        try:
            received.append(client.recv(65_536))
        except TimeoutError:
            return received


def test_a_whole_response_is_one_write(ends):
    respond(ends[0], SIZED, b"whole")
    [data] = writes(ends[1])
    assert data.startswith(b"HTTP/1.1 200 OK\r\n")
    assert data.endswith(b"\r\nContent-Length: 5\r\n\r\nwhole")


class Receiver:
    """Stands for a connection, and keeps what it was given."""

    def __init__(self):
        self.given = []

    def sendall(self, data):
        self.given.append(data)


def test_a_large_body_is_sent_from_where_it_is():
    """Each client that reads it slowly would otherwise have a copy."""
    receiver, body = Receiver(), bytes(JOINED + 1)
    respond(receiver, [("Content-Length", str(len(body)))], body)
    head, sent = receiver.given
    assert head.endswith(b"\r\n\r\n")
    assert sent is body


def test_each_further_part_is_a_chunk_of_its_own(ends):
    respond(ends[0], STREAMED, b"one", b"two")
    first, *rest = writes(ends[1])
    assert first.endswith(b"\r\n\r\n3\r\none\r\n")
    assert rest == [b"3\r\ntwo\r\n", b"0\r\n\r\n"]


def test_an_empty_first_part_sends_the_head_at_once(ends):
    respond(ends[0], STREAMED, b"", b"one")
    first, *rest = writes(ends[1])
    assert first.endswith(b"\r\n\r\n")
    assert rest == [b"3\r\none\r\n", b"0\r\n\r\n"]


@pytest.mark.parametrize(("method", "status"), [(b"HEAD", "200 OK"), (b"GET", "304 Not Modified")])
def test_a_response_without_a_body_is_its_head(ends, method, status):
    respond(ends[0], SIZED, b"whole", method=method, status=status)
    [head] = writes(ends[1])
    assert head.endswith(b"\r\n\r\n")


def test_a_response_without_parts_is_its_head(ends):
    respond(ends[0], [("Content-Length", "0")])
    [head] = writes(ends[1])
    assert head.endswith(b"\r\nContent-Length: 0\r\n\r\n")
