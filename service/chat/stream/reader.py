"""The response that reads a turn: its bytes, its keep-alives, and the client it writes to."""

import socket
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any

import structlog

from service.chat.stream import sse
from service.chat.stream.channel import TEXT, Channel, Item
from service.chat.stream.chunks import TextStart
from service.chat.stream.direct import DirectWriter
from service.lifecycle import ClientWatch
from service.raw_sockets import acknowledged_bytes
from service.web.pauses import Pause

SLOW_SECONDS = 30.0  # without any progress of a write; then the connection is closed
KEEP_ALIVE_SECONDS = 10.0  # of silence
IN_TEXT = (TextStart, *TEXT)

log = structlog.get_logger("turn")


class Reader:
    """Joins all chunks that are ready into one write. The worker's watchman calls `check`.

    `sock` is the client's connection, if there is one. With a `writer`, chunks that come while the
    response waits are written from the event loop, as long as the kernel accepts them.
    """

    __slots__ = (
        "_acknowledged",
        "_channel",
        "_is_in_text",
        "_is_writing",
        "_rest",
        "_sock",
        "_turn_id",
        "_waiting_since",
        "_writer",
    )

    def __init__(
        self,
        channel: Channel,
        sock: socket.socket | None,
        turn_id: str,
        writer: DirectWriter | None = None,
    ) -> None:
        self._channel, self._sock, self._turn_id = channel, sock, turn_id
        self._writer = writer
        self._rest = b""  # of a direct write; the response sends it
        if writer:
            channel.write = self._write_at_once
        self._is_writing = False
        self._is_in_text = False  # whether the last chunk was one of `IN_TEXT`
        self._waiting_since = time.monotonic()
        self._acknowledged = (0, time.monotonic())  # bytes, and the time of the last change

    def stream(self, leave: Callable[[], None]) -> Iterator[bytes]:
        """Yield the whole body. Calls `leave` when the client closes the connection."""
        watch = ClientWatch(self._sock, leave) if self._sock else None
        try:
            self._is_writing = True
            # With the chunks that are ready, such as the start: this saves one write for each turn.
            yield sse.OPEN + self._encode_ready(self._channel.take_ready())
            while not self._channel.ended:
                if (pause := self._pause()) is not None:  # it has no bytes
                    yield pause
                ready = self._take()
                rest, self._rest = self._rest, b""
                if rest and self._writer:
                    self._writer.finish(rest)
                if ready:  # also after a rest, if the response was resumed only now
                    yield self._encode_ready(ready)
                elif not rest and not self._channel.ended:
                    yield sse.KEEP_ALIVE
            if not self._channel.abandoned:
                yield sse.DONE
        finally:
            if watch:
                watch.stop()

    def _pause(self) -> Pause | None:
        """Return a pause if the next chunks are written from the event loop.

        While a text is open, hardly any other chunks come.
        """
        if not (self._is_in_text and self._writer and self._writer.is_server_pausing):
            return None
        self._begin_to_wait()
        return self._channel.pause()

    def _begin_to_wait(self) -> None:
        self._is_writing = False
        self._waiting_since = time.monotonic()

    def _take(self) -> list[Item]:
        self._begin_to_wait()
        ready = self._channel.take()
        self._is_writing = True
        return ready

    def _write_at_once(self, items: Sequence[Item]) -> bool:
        """Return whether the kernel has accepted all. The waiting response sends the rest."""
        assert self._writer
        self._waiting_since = time.monotonic()
        self._rest = self._writer.write(self._encode_all(items))
        return not self._rest

    def _encode_ready(self, ready: Sequence[Item]) -> bytes:
        if ready:
            self._is_in_text = type(ready[-1]) in IN_TEXT
        return self._encode_all(ready)

    def _encode_all(self, items: Sequence[Item]) -> bytes:
        if len(items) == 1:  # nearly always
            return self._encode(items[0])
        return b"".join(map(self._encode, items))

    _encode: Callable[[Any], bytes] = staticmethod(sse.encode)  # a `Watcher` has its own

    def check(self, now: float) -> None:
        """Break a long silence, and disconnect a slow client. `now` is monotonic."""
        if not self._is_writing:
            self._acknowledged = (-1, now)
            if now - self._waiting_since >= KEEP_ALIVE_SECONDS:
                self._channel.nudge()
        elif self._sock is not None:
            self._disconnect_if_slow(self._sock, now)

    def _disconnect_if_slow(self, sock: socket.socket, now: float) -> None:
        count = acknowledged_bytes(sock)
        if count is not None and count != self._acknowledged[0]:
            self._acknowledged = (count, now)
        elif now - self._acknowledged[1] > SLOW_SECONDS:
            log.info("slow client disconnected", turn_id=self._turn_id)
            self.cut()

    def cut(self) -> None:
        """Close the client's connection without an ending."""
        if self._sock is None:
            return
        with suppress(OSError):  # closed by the client meanwhile
            self._sock.shutdown(socket.SHUT_RDWR)
