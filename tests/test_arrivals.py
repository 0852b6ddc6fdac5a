"""Reading in the event loop while a greenlet waits."""

import socket
import ssl
from http.client import IncompleteRead

import gevent
import pytest
from gevent.event import Event

from service.outbound.body import ResponseBody
from service.outbound.head import parse_head, split_head
from service.outbound.upstream import Outbound
from tests.certificates import make_certificate
from tests.upstream import Answer

SIZED = b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n"
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    return make_certificate(tmp_path_factory.mktemp("certificate"))


@pytest.fixture(params=["plain", "tls"])
def pair(request, certificate):
    with socket.create_server(("127.0.0.1", 0)) as server:
        here, (there, _) = socket.create_connection(server.getsockname()), server.accept()
    there.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # each piece arrives at once
    if request.param == "tls":
        here, there = secured(here, there, certificate)
    with here, there:
        yield here, there


def secured(here, there, certificate):
    ours, theirs = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT), ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    ours.load_verify_locations(certificate / "certificate.pem")
    theirs.load_cert_chain(certificate / "certificate.pem", certificate / "key.pem")
    accepted = gevent.spawn(theirs.wrap_socket, there, server_side=True)
    return ours.wrap_socket(here, server_hostname="127.0.0.1"), accepted.get(timeout=5)


def body_of(sock: socket.socket, head: bytes) -> ResponseBody:
    return ResponseBody(sock, parse_head(split_head(head)[0], "POST"), b"")


def send(sock: socket.socket, *pieces: bytes) -> None:
    """Send the pieces, each when whoever reads has had the one before. After a pause of the
    process, the event loop lets this greenlet go on first, so it waits until nothing is left."""
    for piece in pieces:
        sock.sendall(piece)
        gevent.sleep(0.01)
        gevent.idle()


def test_pieces_are_taken_until_one_is_refused(pair):
    body, taken = body_of(pair[0], SIZED), []

    def take(piece: bytes) -> bool:
        taken.append(piece)
        return piece != b"no"

    reading = gevent.spawn(body.read, take)
    send(pair[1], b"one", b"two", b"no")
    assert reading.get(timeout=5) == b"no"
    assert taken == [b"one", b"two", b"no"]


def test_the_end_of_the_body_ends_the_wait_although_its_last_piece_was_taken(pair):
    body, taken = body_of(pair[0], SIZED), []
    reading = gevent.spawn(body.read, lambda piece: taken.append(piece) or True)
    send(pair[1], b"123", b"456789")
    assert reading.get(timeout=5) == b""
    assert (body.complete, taken) == (True, [b"123", b"456789"])


def test_what_arrives_in_many_records_of_tls_is_all_taken(pair):
    size = 200_000
    body, taken = body_of(pair[0], SIZED.replace(b"9", b"%d" % size)), []
    reading = gevent.spawn(body.read, lambda piece: taken.append(piece) or True)
    send(pair[1], b"a" * 50_000, b"b" * (size - 50_000))
    assert reading.get(timeout=5) == b""
    assert b"".join(taken) == b"a" * 50_000 + b"b" * (size - 50_000)


def test_framing_alone_is_offered_to_nobody(pair):
    body, taken = body_of(pair[0], CHUNKED), []
    reading = gevent.spawn(body.read, lambda piece: taken.append(piece) or True)
    send(pair[1], b"5\r\n", b"hello", b"\r\n0\r\n", b"\r\n")
    assert reading.get(timeout=5) == b""
    assert taken == [b"hello"]


@pytest.mark.parametrize("last", [b"x\r\n", b""], ids=["broken framing", "closed"])
def test_a_fault_is_raised_where_the_greenlet_waits(pair, last):
    body = body_of(pair[0], CHUNKED)

    def read() -> None:
        with pytest.raises(IncompleteRead):
            body.read(lambda _piece: True)

    reading = gevent.spawn(read)
    send(pair[1], b"5\r\nhello\r\n", last)
    pair[1].close()
    reading.get(timeout=5)


def test_a_piece_that_makes_its_taker_fail_is_not_lost(pair, monkeypatch):
    body = body_of(pair[0], SIZED)

    def fail(_piece: bytes) -> bool:
        raise RuntimeError

    errors: list[type] = []
    monkeypatch.setattr(gevent.get_hub(), "handle_error", lambda *error: errors.append(error[1]))
    reading = gevent.spawn(body.read, fail)
    send(pair[1], b"one")
    assert reading.get(timeout=5) == b"one"
    assert errors == [RuntimeError]


def test_nothing_is_read_for_a_greenlet_that_was_interrupted(pair):
    body, taken = body_of(pair[0], SIZED), []
    reading = gevent.spawn(body.read, lambda piece: taken.append(piece) or True)
    send(pair[1], b"one")
    reading.kill()
    send(pair[1], b"two")
    assert taken == [b"one"]
    assert pair[0].recv(9) == b"two"


def parked(body, refused=b"no"):
    """The pieces that are taken without a greenlet, and an event for when one was refused."""
    taken, ready = [], Event()
    arrivals = body.park(lambda piece: piece != refused and (taken.append(piece) or True))
    arrivals.then(ready.set)
    return taken, ready, arrivals


def test_without_a_greenlet_pieces_are_taken_until_one_is_refused(pair):
    body = body_of(pair[0], SIZED)
    taken, ready, _ = parked(body)
    send(pair[1], b"one", b"two", b"no")
    assert ready.wait(5)
    assert (taken, body.read()) == ([b"one", b"two"], b"no")
    send(pair[1], b"!")
    assert body.read() == b"!"


def test_what_has_been_read_with_the_head_is_not_waited_for(pair):
    body = ResponseBody(pair[0], parse_head(split_head(SIZED)[0], "POST"), b"ahead")
    assert body.park(lambda _: True) is None
    assert body.read() == b"ahead"


def test_an_error_from_outside_is_raised_by_the_next_read(pair):
    body = body_of(pair[0], SIZED)
    _, ready, arrivals = parked(body)
    arrivals.fail(ValueError("slow"))
    assert ready.is_set()
    with pytest.raises(ValueError, match="slow"):
        body.read()


def test_a_refused_piece_comes_before_an_error_from_outside(pair):
    body = body_of(pair[0], SIZED)
    _, ready, arrivals = parked(body)
    send(pair[1], b"no")
    assert ready.wait(5)
    arrivals.fail(ValueError("slow"))
    assert body.read() == b"no"


def test_nothing_is_taken_from_a_connection_that_is_given_up(caller, upstream):
    """Its descriptor may be another connection's by then."""
    go_on = Event()

    def body():
        yield b"one"
        go_on.wait()
        yield b"two"

    upstream.answers = [Answer(body())]
    with caller.open(Outbound("test", "GET", upstream.url, {})) as stream:
        assert stream.read() == b"one"
        taken, ready, arrivals = parked(stream)
    go_on.set()
    gevent.sleep(0.05)
    assert (taken, ready.is_set()) == ([], False)
    assert arrivals._watcher is None
