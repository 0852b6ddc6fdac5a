"""The time limit of a request: bytes that have arrived in time are read."""

import socket

import gevent
import pytest
from gevent import get_hub
from gevent.monkey import get_original

from service.outbound.time_limit import TimeLimit

really_sleep = get_original("time", "sleep")
SECONDS = 0.02


@pytest.fixture
def connection():
    mine, theirs = socket.socketpair()
    with mine, theirs:
        yield mine, theirs


def test_bytes_that_arrived_while_the_process_was_suspended_are_read(connection):
    """The loop finds the time over before it sees the bytes, as after SIGCONT."""
    mine, theirs = connection
    with get_hub().loop.timer(SECONDS) as timer, TimeLimit(SECONDS):
        timer.start(lambda: theirs._sock.send(b"tokens"))
        really_sleep(2 * SECONDS)
        assert mine.recv(100) == b"tokens"


def test_without_bytes_the_limit_is_raised_as_an_ordinary_one(connection):
    mine, _ = connection
    with pytest.raises(TimeLimit) as raised, TimeLimit(SECONDS) as limit:
        mine.recv(100)
    assert raised.value is limit


def test_a_limit_that_was_closed_in_time_is_never_raised(connection):
    limit = TimeLimit.start_new(SECONDS)
    with get_hub().loop.timer(SECONDS) as timer:
        timer.start(limit.close)
        really_sleep(2 * SECONDS)
        gevent.sleep(2 * SECONDS)
