"""The server's end of a WebSocket, on a connection that gunicorn has accepted.

The protocol is in `frames`; here is the socket. Waits belong to gevent and no greenlet is made.
One greenlet receives; any greenlet may send or close.
"""

import socket
import struct
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

import gevent
from gevent import get_hub
from gevent.event import Event
from gevent.lock import BoundedSemaphore
from gevent.socket import cancel_wait, wait, wait_write
from wsproto.events import CloseConnection

from service.frames import Closed, Headers, Piece, Protocol, fragments, frame
from service.lifecycle import READ, ClientWatch, acknowledged

PING_SECONDS = 25.0  # of silence before a ping, and again before we give up
SLOW_BYTES = 65_536  # taken in that time: a slow reader, to whom the ping has yet to come
STALL_SECONDS = 25.0  # without one byte taken before a write is given up
STALL_STEPS = 5  # looks at a stalled write in that time
GOODBYE_SECONDS = 1.0
RECEIVE_BYTES = 4096  # as tiny frames, five milliseconds of parsing in which nobody else runs
NORMAL, LEAVING, LOST, FAILED = 1000, 1001, 1006, 1011


class WebSocket:
    """`sock` is gunicorn's, which closes it in the end; `path` is for the log.

    Raises `ValueError` for an invalid handshake or a subprotocol that was not offered, before
    anything is written; `Closed` when the peer has left already.
    """

    def __init__(
        self, sock: socket.socket, headers: Headers, path: str, subprotocol: str | None
    ) -> None:
        self._protocol = Protocol(headers, subprotocol)
        self.path = path
        self.closed = False
        self.code = LOST
        self._sock = sock
        self._sock.setblocking(False)  # gevent's switch: we do the waiting
        self._lock = BoundedSemaphore(1)  # held while a frame is written
        self._message = BoundedSemaphore(1)  # held while all of a message's are
        self._reading: Any = None  # the event loop's watcher that a greenlet waits for
        self._pinged = False  # and nothing has come since
        self._taken = 0  # bytes that the peer had acknowledged at its ping
        self._over = Event()  # nothing will be written any more
        self._lingers = False  # a goodbye was written, which the peer has yet to read
        self.send_frames(self._protocol.answer)

    def receive(self) -> str:
        """The next text message. Raises `Closed`.

        Pings are answered and sent here only, so some greenlet should always be in it.
        """
        while not self.closed:
            match self._protocol.next():
                case str() as text:
                    return text
                case bytes() as pong:
                    self.send_frames(pong)
                case CloseConnection() as end:
                    self.close(end.code, end.reason or "")
                case None:
                    self._read()
        raise Closed(self.code)

    def send(self, *texts: str | bytes) -> None:
        """Whole text messages, in one write. Raises `Closed`."""
        encoded = (text.encode() if isinstance(text, str) else text for text in texts)
        with self._message:
            self.send_frames(b"".join(map(frame, encoded)))

    def send_in_pieces(self, pieces: Iterable[Piece]) -> None:
        """Send one text message; one piece at a time is in memory. Raises `Closed`.

        Pings, and a close, are sent between two pieces.
        """
        with self._message:
            whole = False
            try:
                for data in fragments(pieces):
                    self.send_frames(data)
                whole = True
            finally:
                if not whole and not self.closed:
                    self._cut()

    def wait_until_idle(self) -> None:
        """Wait until no message is being written. Raises `Closed`."""
        with self._message:
            if self.closed:
                raise Closed(self.code)

    def wait_for(self, event: Event) -> None:
        """Wait until an event is set. Raises `Closed`.

        Nothing receives in this time, so a peer that leaves is noticed here.
        """
        if event.is_set():
            return
        watch = ClientWatch(self._sock, self._cut)
        try:
            gevent.wait([event, self._over], count=1)
        finally:
            watch.stop()
        if self.closed:
            raise Closed(self.code)

    def send_frames(self, data: bytes) -> None:
        """What `frame` made: all of it is written, or the connection is cut. Raises `Closed`."""
        with self._lock:
            if self.closed:
                raise Closed(self.code)
            whole = False
            try:
                self._write(data)
                whole = True
            except OSError:
                raise Closed(self.code) from None
            finally:
                if not whole:  # also when this greenlet is killed in the middle of a frame
                    self._cut()

    def close(self, code: int, reason: str = "") -> None:
        """Say goodbye and wake the receiver; later calls do nothing.

        Returns at once, or cuts the connection after `GOODBYE_SECONDS` if the peer takes nothing.
        """
        if self.closed:
            return
        self.closed, self.code = True, code
        goodbye = self._protocol.goodbye(code, reason)
        cancel_wait(self._reading)
        try:
            with suppress(OSError), gevent.Timeout(GOODBYE_SECONDS, False), self._lock:
                self._write(goodbye)
                self._sock.shutdown(socket.SHUT_WR)
                self._lingers = True
        finally:
            if not self._lingers:
                self._cut()
            self._over.set()

    def linger(self) -> None:
        """Last of all, after `close`: until the peer closes too, `GOODBYE_SECONDS` at most.

        A socket that is closed with bytes unread resets the connection, and a reset overtakes our
        close frame: so whatever the peer is still sending is read and thrown away.
        """
        self._over.wait()
        with self._lock:  # whoever was writing when the connection was cut has left
            pass
        with suppress(OSError), gevent.Timeout(GOODBYE_SECONDS, False):
            while self._lingers and self._receive(GOODBYE_SECONDS):
                continue

    def _read(self) -> None:
        data = b""
        with suppress(OSError):  # reset by the peer, or woken by `close`
            data = self._receive_or_ping()
        if self.closed:
            return
        if not data:
            self._cut()
        self._protocol.feed(data)

    def _receive_or_ping(self) -> bytes:
        while not self.closed:
            try:
                data = self._receive(PING_SECONDS)
                self._pinged = False
                return data
            except TimeoutError:
                self._break_silence()
        return b""

    def _break_silence(self) -> None:
        before, self._taken = self._taken, acknowledged(self._sock) or 0
        if self._pinged and self._taken - before < SLOW_BYTES:
            self.close(FAILED, "no answer to a ping")
        elif not self._pinged and not self.closed:
            self._pinged = True
            self.send_frames(self._protocol.ping())

    def _receive(self, seconds: float) -> bytes:
        """Bytes as they come; none at the end. Raises `OSError`, `TimeoutError` for silence.

        It waits even when there is something to read, or a peer that floods us would let nobody
        else run (`gevent.sleep(0)` does not look at other sockets).
        """
        while True:
            reading = self._reading = get_hub().loop.io(self._sock.fileno(), READ)
            try:
                wait(reading, seconds)
            finally:
                reading.close()
            with suppress(BlockingIOError):
                return self._sock.recv(RECEIVE_BYTES)

    def _write(self, data: bytes) -> None:
        left = memoryview(data)
        while left:
            try:
                left = left[self._sock.send(left) :]
            except BlockingIOError:
                self._wait_for_room()

    def _wait_for_room(self) -> None:
        """Raises `TimeoutError` when the peer has taken nothing for `STALL_SECONDS`.

        There is room once a third of the kernel's buffer is free, which takes a slow link longer
        than that: so it is what the peer has acknowledged that counts.
        """
        taken, idle = acknowledged(self._sock), 0
        while idle < STALL_STEPS:
            with suppress(TimeoutError):
                return wait_write(self._sock.fileno(), STALL_SECONDS / STALL_STEPS)
            before, taken = taken, acknowledged(self._sock)
            idle = idle + 1 if taken == before else 0
        raise TimeoutError

    def _cut(self) -> None:
        """Give up without a goodbye; the reset goes out when gunicorn closes the socket."""
        self.closed = True
        cancel_wait(self._reading)
        with suppress(OSError):
            self._sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self._sock.shutdown(socket.SHUT_RDWR)  # wakes whoever is writing
        self._over.set()
