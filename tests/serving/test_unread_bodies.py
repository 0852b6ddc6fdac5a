"""The rest of a body that the app has not read is skipped, while others run."""

import gevent
import pytest
from gunicorn.config import Config

from serving.timed_requests import BODY_STEP, DRAIN_BYTES, FRAMING_LIMIT, TimedParser
from tests.serving.arrived_bytes import ArrivedBytes

POST = b"POST / HTTP/1.1\r\nHost: x\r\n"
NEXT = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"


def parser_of(framing: bytes, body: bytes) -> TimedParser:
    request = POST + framing + b"\r\n\r\n" + body
    parser = TimedParser(Config(), ArrivedBytes(request + NEXT), ("127.0.0.1", 1))
    assert next(parser).method == "POST"
    return parser


def parser_of_length(size: int) -> TimedParser:
    return parser_of(b"Content-Length: %d" % size, b"a" * size)


def parser_of_chunks(*chunks: bytes) -> TimedParser:
    return parser_of(b"Transfer-Encoding: chunked", b"".join(chunks))


def test_others_run_while_a_body_is_skipped():
    rounds = 0

    def count() -> None:
        nonlocal rounds
        while True:
            gevent.sleep(0)
            rounds += 1

    parser, counting = parser_of_length(DRAIN_BYTES // 2), gevent.spawn(count)
    assert next(parser).method == "GET"
    counting.kill()
    assert rounds >= DRAIN_BYTES // 2 // BODY_STEP


def test_a_longer_body_ends_the_connection():
    parser = parser_of_length(DRAIN_BYTES + 8193)  # of which some has come with the head
    with pytest.raises(StopIteration):
        next(parser)


LAST = b"0\r\n\r\n"
TINY = b"1\r\na\r\n"
EXTENDED = b"1;" + b"a" * 8000 + b"\r\na\r\n"


def test_what_follows_a_body_in_chunks_is_read():
    large = b"%x\r\n%b\r\n" % (DRAIN_BYTES // 2, b"a" * (DRAIN_BYTES // 2))
    for chunks in ((large, LAST), (TINY * 100_000, LAST), (EXTENDED * 100, LAST)):
        assert next(parser_of_chunks(*chunks)).method == "GET"


@pytest.mark.parametrize(
    ("chunk", "most"),
    [(TINY, 4 * FRAMING_LIMIT), (EXTENDED, DRAIN_BYTES + 8192)],
    ids=["of a byte", "with a long extension"],
)
def test_more_framing_than_content_ends_the_connection(chunk, most):
    many = 2 * DRAIN_BYTES // len(chunk)
    parser = parser_of_chunks(chunk * many, LAST)
    with pytest.raises(StopIteration):
        next(parser)
    assert parser.unreader.received <= most
