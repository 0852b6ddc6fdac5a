"""Reading response bodies directly from their connections."""

import socket
import sys
from dataclasses import replace

import gevent
import pytest
from gevent.server import StreamServer
from hypothesis import given
from hypothesis import strategies as st
from urllib3 import HTTPHeaderDict

from service.outbound.body import READ_SIZE, Dechunker, ResponseBody
from service.outbound.head import ResponseHead
from service.outbound.stream import UpstreamError, read_all
from service.outbound.upstream import Outbound
from tests.endless_senders import fill, flooding

FRAMED = b"5\r\nhello\r\n1;ext=1\r\n,\r\nA \r\n0123456789\r\n0\r\nTrailer: x\r\n\r\n"
PLAIN = b"hello,0123456789"


@given(st.lists(st.integers(1, len(FRAMED) - 1)))
def test_framing_is_removed_wherever_the_data_is_cut(cuts):
    dechunker, bounds = Dechunker(), [0, *sorted(set(cuts)), len(FRAMED)]
    pieces = [FRAMED[a:b] for a, b in zip(bounds, bounds[1:], strict=False)]
    assert b"".join(map(dechunker.feed, pieces)) == PLAIN
    assert dechunker.complete


BROKEN = [b"\r\n", b"x\r\n", b"-1\r\n", b"0x5\r\nhello\r\n", b"5\r\nhello!\r\n", b"5" * 5000]


@pytest.mark.parametrize("framed", BROKEN)
def test_broken_framing_is_refused(framed):
    with pytest.raises(ValueError, match="chunk|line"):
        Dechunker().feed(framed)


@pytest.fixture
def serve():
    """A server that sends raw bytes for every request; it counts its connections."""
    servers = []

    def serving(*answers: bytes, close: bool = False):
        connections = []

        def handle(sock: socket.socket, _address: object) -> None:
            connections.append(sock)
            with sock:
                for answer in answers:
                    if not sock.recv(65536):
                        return
                    sock.sendall(answer)
                    if close:
                        return
                sock.recv(1)

        server = StreamServer(("127.0.0.1", 0), handle)
        server.start()
        servers.append(server)
        return Outbound("test", "GET", f"http://127.0.0.1:{server.server_port}/", {}), connections

    yield serving
    for server in servers:
        server.stop(timeout=0)


CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + FRAMED
SIZED = b"HTTP/1.1 200 OK\r\nContent-Length: 16\r\n\r\n" + PLAIN
ENDED = b"HTTP/1.1 200 OK\r\n\r\n" + PLAIN


@pytest.mark.parametrize("answer", [CHUNKED, SIZED])
def test_the_connection_of_a_complete_body_is_reused(serve, caller, answer):
    outbound, connections = serve(answer, answer, answer)
    for _ in range(3):
        assert caller.fetch(outbound, 100) == (200, PLAIN)
    assert len(connections) == 1


def test_a_body_may_end_with_its_connection(serve, caller):
    outbound, _ = serve(ENDED, close=True)
    assert caller.fetch(outbound, 100) == (200, PLAIN)


@pytest.mark.parametrize("answer", [CHUNKED[:-9], CHUNKED[:-40], SIZED[:-1]])
def test_an_incomplete_body_is_an_error(serve, caller, answer):
    outbound, _ = serve(answer, close=True)
    with pytest.raises(UpstreamError, match="cut"):
        caller.fetch(outbound, 100)


def test_the_connection_of_an_unread_body_is_not_reused(serve, caller):
    outbound, connections = serve(CHUNKED[:-9], CHUNKED)
    with caller.open(outbound) as stream:
        assert stream.read()
    assert caller.fetch(serve(SIZED)[0], 100) == (200, PLAIN)
    with caller.open(outbound) as stream:
        stream.read()
    assert len(connections) == 2


def test_a_body_over_its_limit_is_refused(serve, caller):
    outbound, _ = serve(SIZED)
    with pytest.raises(UpstreamError, match="too-large"), caller.open(outbound) as stream:
        read_all(stream, 10)


def test_the_connection_of_an_empty_answer_is_reused(serve, caller):
    outbound, connections = serve(*[b"HTTP/1.1 204 No Content\r\n\r\n"] * 2)
    for _ in range(2):
        assert caller.fetch(outbound, 10) == (204, b"")
    assert len(connections) == 1


def test_the_request_is_not_kept_while_the_response_arrives(serve, caller):
    outbound, _ = serve(SIZED)
    body = b"x" * 1000
    before = sys.getrefcount(body)
    with caller.open(replace(outbound, method="POST", body=body)) as stream:
        assert sys.getrefcount(body) == before
        assert read_all(stream, 100) == PLAIN


OK = b"HTTP/1.1 200 OK\r\n"
CODED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
FLOODS = {
    "informational answers": (b"", b"HTTP/1.1 100 Continue\r\n\r\n", "unanswered"),
    "trailers": (CODED + b"0\r\n", b"X: y\r\n", "cut"),
    "chunks of a byte": (CODED, b"1\r\n \r\n", "cut"),
    "extensions of chunks": (CODED, b"1;" + b"x" * 1_000 + b"\r\n \r\n", "cut"),
}


@pytest.mark.parametrize("flood", FLOODS)
def test_more_framing_than_content_is_refused_at_once(caller, flood):
    *answer, reason = FLOODS[flood]
    with flooding(*answer) as url, pytest.raises(UpstreamError) as error:
        caller.fetch(Outbound("test", "GET", url, {}), 8 << 20)
    assert error.value.reason == reason


def test_small_chunks_are_read_as_long_as_there_is_content_in_them():
    dechunker = Dechunker()
    for _ in range(10):
        assert dechunker.feed(b"2\r\nab\r\n" * 10_000) == b"ab" * 10_000


def test_others_run_while_a_body_is_read_that_has_arrived_already():
    """Without a pause in the reading nothing would switch to them: the socket never waits."""
    ours, server = socket.socketpair()
    with ours, server:
        assert fill(server) > 3 * READ_SIZE
        body = ResponseBody(ours, ResponseHead(200, HTTPHeaderDict(), False, None, False), b"")
        reading = gevent.spawn(lambda: [body.read() for _ in range(3)])
        other = gevent.spawn(lambda: reading.dead)
        gevent.joinall([reading, other])
    assert other.value is False


def test_a_server_that_is_never_waited_for_stops_nothing_else(caller):
    turns = pieces = 0

    def count() -> None:
        nonlocal turns
        while True:
            gevent.sleep(0.001)
            turns += 1

    def read_to_its_end(url: str) -> None:
        nonlocal pieces
        with caller.open(Outbound("test", "GET", url, {}, whole=0.3)) as stream:
            while piece := stream.read():
                sorted(piece)  # work, during which the next piece arrives
                pieces += 1

    counting = gevent.spawn(count)
    with flooding(OK + b"\r\n", b" ") as url, pytest.raises(UpstreamError, match="timeout"):
        read_to_its_end(url)
    counting.kill()
    assert turns > pieces / 30  # a busy machine has few of both
