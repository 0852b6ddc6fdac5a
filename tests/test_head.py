"""The heads of requests and of responses, against servers that answer byte for byte."""

import gzip
import socket
from dataclasses import replace

import gevent
import pytest
from gevent.server import StreamServer

from service.outbound.destination import destination_of
from service.outbound.head import parse_head, request_head
from service.outbound.stream import UpstreamError
from service.outbound.upstream import Outbound

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


class Server:
    """Sends an answer, perhaps in pieces, for each request; `connections` counts."""

    def __init__(self, *answers):
        self.answers, self.connections, self.received = list(answers), 0, []
        self._server = StreamServer(("127.0.0.1", 0), self._serve)
        self._server.start()
        self.request = Outbound("test", "GET", f"http://127.0.0.1:{self._server.server_port}/", {})

    def _serve(self, sock, _address):
        self.connections += 1
        while data := sock.recv(65_536):
            self.received.append(data)
            for piece in self.answers.pop(0):
                sock.sendall(piece)
                gevent.sleep(0.01)

    def stop(self):
        self._server.stop(timeout=0)


@pytest.fixture
def serve():
    servers = []

    def start(*answers):
        servers.append(Server(*answers))
        return servers[-1]

    yield start
    for server in servers:
        server.stop()


HEAD = b"HTTP/1.1 200 OK\r\nX-A: one\r\nx-a: two\r\nX-Long: begins\r\n  and ends\r\n\r\n"


def test_headers_are_read_without_regard_to_case_and_folds():
    headers = parse_head(HEAD.decode().rstrip(), "GET").headers
    assert (headers["x-A"], headers["X-LONG"]) == ("one, two", "begins and ends")


def test_a_head_may_come_in_pieces_after_informational_ones(caller, serve):
    early = b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"
    server = serve([early, b"HTTP/1.1 100 Continue\r\n\r\nHTT", b"P/1.1 201 Made\nContent-Le",
                    b"ngth: 2\n", b"\nok"])  # fmt: skip
    assert caller.fetch(server.request, 10) == (201, b"ok")


REUSABLE = {
    OK: True,
    b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok": False,
    b"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok": False,
    b"HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\nContent-Length: 2\r\n\r\nok": True,
    OK + b"HTTP/1.1 200 OK\r\n": False,
    b"HTTP/1.1 304 Not Modified\r\nContent-Length: 2\r\n\r\n": True,
}


@pytest.mark.parametrize("answer", REUSABLE)
def test_a_connection_is_reused_if_the_server_keeps_it(caller, serve, answer):
    server = serve([answer], [OK])
    for _ in range(2):
        caller.fetch(server.request, 10)
    assert server.connections == (1 if REUSABLE[answer] else 2)


def test_a_connection_that_the_server_has_closed_is_not_used(caller, serve):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        request = Outbound("test", "GET", f"http://127.0.0.1:{listener.getsockname()[1]}/", {})

        def answer_and_close():
            for _ in range(2):
                connection, _ = listener.accept()
                with connection:
                    connection.recv(65_536)
                    connection.sendall(OK)

        answering = gevent.spawn(answer_and_close)
        for _ in range(2):
            assert caller.fetch(request, 10) == (200, b"ok")
            gevent.sleep(0.05)  # for the end of the connection to arrive
        answering.join()


def test_a_connection_that_ended_with_its_body_is_not_kept(caller):
    answer = b"HTTP/1.1 200 OK\r\n\r\nok"
    answering = lambda sock, _: sock.recv(9999) and sock.sendall(answer)  # noqa: E731
    server = StreamServer(("127.0.0.1", 0), answering)
    server.start()
    url = f"http://127.0.0.1:{server.server_port}/"
    assert caller.fetch(Outbound("test", "GET", url, {}), 10) == (200, b"ok")
    server.stop()
    assert not any(caller._pool._idle.values())


GZIP = gzip.compress(b"ok")
UNUSABLE = [
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n%x\r\n%b\r\n0\r\n\r\n"
    % (len(GZIP), GZIP),
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: x\r\nContent-Length: 2\r\n\r\nok",
    b"HTTP/1.1 200 OK\r\nContent-Length: +2\r\n\r\nok",
    b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\nok",
    b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok",
    b"ICY 200 OK\r\n\r\n",
    b"HTTP/1.1 99 No\r\n\r\n",
    b"\r\n\r\n",
    b"HTTP/1.1 200 OK\r\nX: " + b"x" * 70_000,
]


@pytest.mark.parametrize("answer", UNUSABLE, ids=range(len(UNUSABLE)))
def test_a_response_without_a_usable_head_is_no_answer(caller, serve, answer):
    server = serve([answer])
    with pytest.raises(UpstreamError) as error:
        caller.fetch(server.request, 10)
    assert error.value.reason == "unanswered"


@pytest.mark.parametrize("value", ["a\r\nX-B: c", "a\nb", "a\0", "a\rb", "\u20ac"])
def test_a_header_of_several_lines_is_not_sent(caller, serve, value):
    server = serve([OK])
    with pytest.raises(UpstreamError) as error:
        caller.fetch(replace(server.request, headers={"X-A": value}), 10)
    assert (error.value.reason, server.received) == ("cut", [])


def test_the_last_of_equal_headers_is_sent():
    head = request_head("GET", "/", [("Accept", "a"), ("Host", "h"), ("accept", "b")])
    assert head == b"GET / HTTP/1.1\r\naccept: b\r\nHost: h\r\n\r\n"


def test_the_answer_to_a_refused_body_is_read(caller):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        refusal = b"HTTP/1.1 413 Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"

        def refuse():
            connection, _ = listener.accept()
            with connection:
                connection.recv(1000)
                connection.sendall(refusal)
                connection.shutdown(socket.SHUT_WR)
                while connection.recv(1 << 20):
                    pass

        refusing = gevent.spawn(refuse)
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/"
        outbound = Outbound("test", "POST", url, {}, b"x" * (8 << 20))
        assert caller.fetch(outbound, 10) == (413, b"")
        refusing.join()


TARGETS = {
    "http://Example.com": ("example.com", "/"),
    "http://example.com:80/a?b=%C3%A9": ("example.com", "/a?b=%C3%A9"),
    "https://example.com:8443/a/../b c?d=é#e": ("example.com:8443", "/b%20c?d=%C3%A9"),
    "http://[::1]:8000/": ("[::1]:8000", "/"),
    "https://bücher.example/?%": ("xn--bcher-kva.example", "/?%25"),
}


@pytest.mark.parametrize("url", TARGETS)
def test_a_url_becomes_a_host_and_a_target(url):
    destination, target = destination_of(url)
    assert (destination.host, target) == TARGETS[url]


@pytest.mark.parametrize(
    "url", ["ftp://example.com/", "example.com", "http:///a", "http://a:99999/"]
)
def test_an_invalid_url_is_refused(caller, url):
    with pytest.raises(UpstreamError) as error:
        caller.fetch(Outbound("test", "GET", url, {}), 10)
    assert error.value.reason == "cut"


def test_the_password_of_a_url_is_sent_as_a_header(caller, serve):
    server = serve([OK])
    url = server.request.url.replace("://", "://a%40b:c@")
    caller.fetch(replace(server.request, url=url), 10)
    assert b"\r\nAuthorization: Basic YUBiOmM=\r\n" in server.received[0]
    assert server.received[0].startswith(b"GET / HTTP/1.1\r\nHost: 127.0.0.1:")
