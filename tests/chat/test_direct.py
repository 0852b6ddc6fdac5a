"""Text is written to the client from the event loop; the response writes what does not fit."""

import select
import socket

import gevent
import pytest
from gevent.event import AsyncResult, Event

from service.chat.stream import sse
from service.chat.stream.channel import Channel
from service.chat.stream.chunks import Start, TextDelta, TextEnd, TextStart
from service.chat.stream.direct import DirectWriter, direct_writer
from service.chat.stream.reader import Reader
from service.web.pauses import Pause
from tests.services import wait_for


@pytest.fixture
def pair():
    here, there = socket.socketpair()
    there.settimeout(5)
    with here, there:
        yield here, there


@pytest.fixture
def reading(pair):
    """A reader whose response runs; `yielded` is what the server would write."""
    channel, yielded = Channel(), []
    reader = Reader(channel, pair[0], "turn_1", DirectWriter(pair[0], is_chunked=False))
    response = gevent.spawn(lambda: yielded.extend(reader.stream(channel.abandon)))
    gevent.sleep(0)
    yield channel, yielded
    channel.abandon()
    response.join(timeout=5)


def received(sock: socket.socket, count: int) -> bytes:
    data = b""
    while len(data) < count:
        data += sock.recv(1 << 20)
    return data


def in_the_event_loop(call):
    done = AsyncResult()
    gevent.get_hub().loop.run_callback(lambda: done.set(call()))
    return done.get(timeout=5)


def test_text_is_written_at_once_and_anything_else_by_the_response(pair, reading):
    channel, yielded = reading
    texts = [TextDelta("t", word) for word in ("one", "two")]
    for text in texts:
        channel.put(text)
    gevent.sleep(0)
    expected = b"".join(map(sse.encode, texts))
    assert received(pair[1], len(expected)) == expected
    channel.put(Start("m"))
    gevent.sleep(0)
    assert yielded == [sse.OPEN, sse.encode(Start("m"))]
    channel.close()
    wait_for(lambda: sse.DONE in yielded)
    assert yielded == [sse.OPEN, sse.encode(Start("m")), sse.DONE]


def test_nothing_is_lost_when_the_client_is_slow(pair, reading):
    channel, yielded = reading
    pair[0].setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
    long = [TextDelta("t", letter * 100_000) for letter in "abc"]
    channel.put(long[0])
    wait_for(lambda: select.select([pair[1]], [], [], 0)[0])  # its beginning is written
    for text in long[1:]:
        channel.put(text)
    first = sse.encode(long[0])
    assert received(pair[1], len(first)) == first
    channel.close()
    wait_for(lambda: sse.DONE in yielded)
    assert yielded == [sse.OPEN, b"".join(map(sse.encode, long[1:])), sse.DONE]


def test_text_from_the_event_loop_is_written_in_the_same_round(pair, reading):
    channel, yielded = reading
    texts = [TextDelta("t", word) for word in ("one", "two")]
    expected = b"".join(map(sse.encode, texts))

    def put_and_look():
        channel.put_text(texts)
        return pair[1].recv(999, socket.MSG_DONTWAIT)

    assert in_the_event_loop(put_and_look) == expected
    behind = TextDelta("t", "behind")
    in_the_event_loop(lambda: (channel.put(Start("m")), channel.put_text([behind])))
    wait_for(lambda: len(yielded) > 1)
    assert yielded == [sse.OPEN, sse.encode(Start("m")) + sse.encode(behind)]


def test_nothing_is_lost_of_text_from_the_event_loop_when_the_client_is_slow(pair, reading):
    channel, yielded = reading
    pair[0].setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
    long = [TextDelta("t", letter * 100_000) for letter in "abc"]
    in_the_event_loop(lambda: [channel.put_text([text]) for text in long])
    first = sse.encode(long[0])
    assert received(pair[1], len(first)) == first
    channel.close()
    wait_for(lambda: sse.DONE in yielded)
    assert yielded == [sse.OPEN, b"".join(map(sse.encode, long[1:])), sse.DONE]


def test_nothing_is_lost_when_a_parked_response_goes_on_late(pair):
    """It goes on in a new greenlet, and more may be put in before that runs."""
    channel, calls = Channel(), []
    pair[0].setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
    writer = DirectWriter(pair[0], is_chunked=False, is_server_pausing=True)
    body = Reader(channel, pair[0], "turn_1", writer).stream(channel.abandon)
    channel.put(TextStart("t"))
    assert next(body) == sse.OPEN + sse.encode(TextStart("t"))
    pause = next(body)
    assert (type(pause), pause) == (Pause, b"")
    pause.then(lambda: calls.append("go on"))
    long, behind = TextDelta("t", "a" * 500_000), [TextDelta("t", "b"), TextEnd("t")]
    in_the_event_loop(lambda: channel.put_text([long]))
    assert calls == ["go on"]
    for chunk in behind:
        channel.put(chunk)
    channel.close()
    rest = gevent.spawn(list, body)
    assert received(pair[1], len(sse.encode(long))) == sse.encode(long)
    assert rest.get(timeout=5) == [b"".join(map(sse.encode, behind)), sse.DONE]


def test_a_keep_alive_does_not_end_the_pauses(pair):
    channel = Channel()
    writer = DirectWriter(pair[0], is_chunked=False, is_server_pausing=True)
    body = Reader(channel, pair[0], "turn_1", writer).stream(channel.abandon)
    channel.put(TextStart("t"))
    assert next(body) == sse.OPEN + sse.encode(TextStart("t"))
    for _ in range(2):
        resumed = Event()
        next(body).then(resumed.set)
        channel.nudge()
        assert resumed.wait(5)
        assert next(body) == sse.KEEP_ALIVE
    channel.abandon()
    body.close()


def test_text_just_before_the_end_is_followed_by_the_end_at_once(reading):
    channel, yielded = reading
    channel.put(TextDelta("t", "last"))
    channel.close()
    wait_for(lambda: sse.DONE in yielded)
    assert yielded == [sse.OPEN, sse.encode(TextDelta("t", "last")), sse.DONE]


@pytest.mark.parametrize(
    ("protocol", "sent"), [("HTTP/1.1", b"2\r\nhi\r\n"), ("HTTP/1.0", b"hi"), ("HTTP/2", None)]
)
def test_bytes_are_framed_as_the_server_frames_them(pair, protocol, sent):
    writer = direct_writer({"gunicorn.socket": pair[0], "SERVER_PROTOCOL": protocol})
    assert (writer is None) == (sent is None)
    if writer:
        assert writer.write(b"hi") == b""
        assert pair[1].recv(99) == sent
