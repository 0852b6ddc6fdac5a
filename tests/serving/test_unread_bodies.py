"""The rest of a body that the app has not read is skipped, while others run."""

import gevent
import pytest
from gunicorn.config import Config

from serving.timed_requests import BODY_STEP, DRAIN_BYTES, TimedParser

HEAD = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n"
NEXT = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"


class Arrived:
    """A socket whose bytes have all arrived, so that no read waits."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def settimeout(self, _seconds: float | None) -> None:
        pass

    def recv(self, size: int) -> bytes:
        data, self._data = self._data[:size], self._data[size:]
        return data


def parser_of(size: int) -> TimedParser:
    parser = TimedParser(Config(), Arrived(HEAD % size + b"a" * size + NEXT), ("127.0.0.1", 1))
    assert next(parser).method == "POST"
    return parser


def test_others_run_while_a_body_is_skipped():
    rounds = 0

    def count() -> None:
        nonlocal rounds
        while True:
            gevent.sleep(0)
            rounds += 1

    parser, counting = parser_of(DRAIN_BYTES // 2), gevent.spawn(count)
    assert next(parser).method == "GET"
    counting.kill()
    assert rounds >= DRAIN_BYTES // 2 // BODY_STEP


def test_a_longer_body_ends_the_connection():
    parser = parser_of(DRAIN_BYTES + 1)
    with pytest.raises(StopIteration):
        next(parser)
