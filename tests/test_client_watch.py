"""A client that leaves is noticed, on TCP and Unix sockets; one that sends early has not left."""

import socket

import gevent
import pytest

from service.lifecycle import POLL_SECONDS, ClientWatch
from tests.services import wait_for


@pytest.fixture(params=["tcp", "unix"])
def ends(request):
    """The server's end of a connection, and the client's."""
    if request.param == "unix":
        ours, theirs = socket.socketpair(socket.AF_UNIX)
    else:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            theirs = socket.create_connection(listener.getsockname())
            ours = listener.accept()[0]
    with ours, theirs:
        yield ours, theirs


@pytest.fixture
def closes(ends):
    """How often the watch has told that the client has left."""
    told = []
    watch = ClientWatch(ends[0], lambda: told.append(1))
    yield told
    watch.stop()


@pytest.mark.parametrize(
    "early", [b"", b"GET / HTTP/1.1\r\n"], ids=["nothing early", "early bytes"]
)
def test_a_client_has_left_when_its_connection_has_ended_and_not_before(ends, closes, early):
    ends[1].send(early)
    gevent.sleep(4 * POLL_SECONDS)
    assert closes == []
    ends[1].shutdown(socket.SHUT_WR)
    wait_for(lambda: closes)
    gevent.sleep(2 * POLL_SECONDS)
    assert closes == [1]
    assert ends[0].recv(100) == early, "nothing was read"


def test_a_connection_that_the_server_has_closed_is_left_too(ends, closes):
    ends[1].send(b"early")
    gevent.sleep(0.01)
    ends[0].close()
    wait_for(lambda: closes)
