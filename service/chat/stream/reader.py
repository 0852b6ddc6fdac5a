"""The response that reads a turn: its bytes, its keep-alives, and the client it writes to."""

import socket
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import structlog

from service.chat.stream import sse
from service.chat.stream.channel import Channel, Item
from service.lifecycle import ClientWatch, acknowledged_bytes

SLOW_SECONDS = 30.0  # without any progress of a write; then the client's connection is cut
KEEP_ALIVE_SECONDS = 10.0  # of silence

log = structlog.get_logger("turn")


class Reader:
    """Joins all chunks that are ready into one write. The worker's watchman calls `check`.

    `sock` is the client's connection, if there is one.
    """

    def __init__(self, channel: Channel, sock: socket.socket | None, turn_id: str) -> None:
        self._channel, self._sock, self._turn_id = channel, sock, turn_id
        self._encode: Callable[[Any], bytes] = sse.encode
        self._is_writing = False
        self._waiting_since = time.monotonic()
        self._acknowledged = (0, time.monotonic())  # bytes, and since when so many

    def stream(self, leave: Callable[[], None]) -> Iterator[bytes]:
        """The whole body of the response. Calls `leave` when the client closes the connection."""
        watch = ClientWatch(self._sock, leave) if self._sock else None
        try:
            self._is_writing = True
            yield sse.OPEN
            while not self._channel.ended:
                ready = self._take()
                if ready:
                    yield b"".join(map(self._encode, ready))
                elif not self._channel.ended:
                    yield sse.KEEP_ALIVE
            if not self._channel.abandoned:
                yield sse.DONE
        finally:
            if watch:
                watch.stop()

    def _take(self) -> list[Item]:
        self._is_writing = False
        self._waiting_since = time.monotonic()
        ready = self._channel.take()
        self._is_writing = True
        return ready

    def check(self, now: float) -> None:
        """Have a long silence broken, and a slow client disconnected. `now` is monotonic."""
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
