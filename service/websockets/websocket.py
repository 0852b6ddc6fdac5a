"""The server's end of a WebSocket, on a connection that gunicorn has accepted.

This module does the I/O for the protocol in `frames`. It waits with gevent and spawns no greenlet.
One greenlet receives; any greenlet may send or close.
"""

import socket
import struct
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

import gevent
from gevent import get_hub
from gevent.event import Event
from gevent.lock import BoundedSemaphore
from gevent.socket import cancel_wait, wait
from wsproto.events import CloseConnection

from service.cleanup import OnFailure
from service.fairness import WorkBudget
from service.lifecycle import ClientWatch
from service.raw_sockets import READ, acknowledged_bytes
from service.websockets.frames import Closed, Piece, Protocol, fragments, frame
from service.websockets.writing import Output

PING_SECONDS = 25.0  # of silence before a ping, and again before the connection is closed
SLOW_BYTES = 65_536  # a peer that acknowledges so many in that time may not have read the ping yet
STALL_SECONDS = 25.0  # a write fails if the peer acknowledges nothing during this time
CLOSE_SECONDS = 1.0
RECEIVE_BYTES = 4096  # in tiny frames, so many take five milliseconds to parse
NORMAL, LEAVING, LOST, FAILED = 1000, 1001, 1006, 1011

_parsing = WorkBudget(500)  # frames of all connections, which take four milliseconds


class WebSocket:
    """A connection. `sock` is gunicorn's, which closes it at the end; `path` is for the log.

    Raises `Closed` if the peer has already left.
    """

    def __init__(self, sock: socket.socket, protocol: Protocol, path: str) -> None:
        self._protocol = protocol
        self.path = path
        self.closed = False
        self.code = LOST
        self._sock = sock
        self._sock.setblocking(False)  # so that gevent's methods do not wait
        self.output = Output(sock, STALL_SECONDS)
        # Called when a greenlet has locked the connection to write, and at the end: from then on
        # nobody else may use `output`.
        self.on_use: Callable[[], None] = lambda: None
        self._lock = BoundedSemaphore(1)  # while a frame is written
        self._message_lock = BoundedSemaphore(1)  # while all frames of a message are written
        self._read_watcher: Any = None  # of the event loop, while a greenlet waits to read
        self._pinged = False  # a ping was sent and nothing has arrived since
        self._acknowledged = 0  # bytes that the peer had acknowledged at the last ping
        self._ended = Event()  # nothing is written after it
        self._lingers = False  # a close frame was written, which the peer has yet to read
        self.send_frames(self._protocol.answer)

    def receive(self) -> str:
        """Return the next text message. Raises `Closed`.

        Only this method sends and answers pings, so a greenlet should always be waiting in it.
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
        """Send text messages in one write. Raises `Closed`."""
        messages = (text.encode() if isinstance(text, str) else text for text in texts)
        with self._message_lock:
            self.send_frames(b"".join(map(frame, messages)))

    def send_at_once(self, frames: bytes) -> int:
        """Write whole frames as far as the kernel takes them, without waiting.

        Returns how many bytes the kernel has taken; 0 also if another greenlet is writing, or the
        connection has ended. If the kernel has taken a part, `flush` or the next write writes the
        rest.
        """
        output = self.output
        if output.rest or self.closed or self._message_lock.locked() or self._lock.locked():
            return 0
        try:
            sent = output.send(frames)
        except BlockingIOError:
            return 0
        except OSError:
            self._abort()
            return 0
        if sent < len(frames):
            output.rest = frames[sent:]
        return sent

    def flush(self) -> None:
        """Write the rest that `send_at_once` has left. Raises `Closed`."""
        if self.output.rest:
            self.send_frames(b"")

    def send_in_pieces(self, pieces: Iterable[Piece]) -> None:
        """Send a text message with one piece at a time in memory. Raises `Closed`.

        Pings and a close frame may be sent between two pieces.
        """
        with self._message_lock:
            self.on_use()
            with OnFailure(self._break_off):
                for data in fragments(pieces):
                    self.send_frames(data)

    def wait_until_idle(self) -> None:
        """Wait until no message is being written. Raises `Closed`."""
        with self._message_lock:
            if self.closed:
                raise Closed(self.code)

    def wait_for(self, event: Event) -> None:
        """Wait until an event is set. Raises `Closed`.

        Nothing is received meanwhile, so this method also watches whether the peer leaves.
        """
        if event.is_set():
            return
        watch = ClientWatch(self._sock, self._abort)
        try:
            gevent.wait([event, self._ended], count=1)
        finally:
            watch.stop()
        if self.closed:
            raise Closed(self.code)

    def send_frames(self, data: bytes) -> None:
        """Write frames. If that fails, the connection is aborted. Raises `Closed`."""
        with self._lock:
            self.on_use()
            if self.closed:
                raise Closed(self.code)
            try:
                with OnFailure(self._abort):  # also if this greenlet is killed in the middle
                    self.output.write(data)
            except OSError:
                raise Closed(self.code) from None

    def close(self, code: int, reason: str = "") -> None:
        """Send a close frame and wake the receiver. Later calls do nothing.

        Aborts the connection if the frame can't be written within `CLOSE_SECONDS`.
        """
        if self.closed:
            return
        self.closed, self.code = True, code
        self.on_use()
        close_frame = self._protocol.close_frame(code, reason)
        cancel_wait(self._read_watcher)
        try:
            with suppress(OSError), gevent.Timeout(CLOSE_SECONDS, False), self._lock:
                self.output.write(close_frame)
                self._sock.shutdown(socket.SHUT_WR)
                self._lingers = True
        finally:
            if not self._lingers:
                self._abort()
            self._ended.set()

    def linger(self) -> None:
        """Wait after `close` until the peer closes, for at most `CLOSE_SECONDS`.

        Closing a socket with unread bytes resets the connection, and the peer might then not
        receive the close frame. So this method reads and discards bytes that the peer still sends.
        """
        self._ended.wait()
        with self._lock:  # until a greenlet that was writing has left
            pass
        with suppress(OSError), gevent.Timeout(CLOSE_SECONDS, False):
            while self._lingers and self._receive(CLOSE_SECONDS):
                continue

    def _read(self) -> None:
        _parsing.spend(self._protocol.take_count())
        data = b""
        with suppress(OSError):  # the peer has reset the connection, or `close` cancels the wait
            data = self._receive_or_ping()
        if self.closed:
            return
        if not data:
            self._abort()
            return
        self._protocol.feed(data)

    def _receive_or_ping(self) -> bytes:
        while not self.closed:
            try:
                data = self._receive(PING_SECONDS)
                self._pinged = False
                return data
            except TimeoutError:
                self._ping_or_close()
        return b""

    def _ping_or_close(self) -> None:
        before, self._acknowledged = self._acknowledged, acknowledged_bytes(self._sock) or 0
        if self._pinged and self._acknowledged - before < SLOW_BYTES:
            self.close(FAILED, "no answer to a ping")
        elif not self._pinged and not self.closed:
            self._pinged = True
            self.send_frames(self._protocol.ping())

    def _receive(self, seconds: float) -> bytes:
        """Return bytes as they arrive, or b"" at the end. Raises OSError, TimeoutError.

        It waits for the event loop even if there are bytes to read. Otherwise a peer that sends
        all the time would block other greenlets: `gevent.sleep(0)` does not poll other sockets.
        """
        while True:
            watcher = self._read_watcher = get_hub().loop.io(self._sock.fileno(), READ)
            try:
                wait(watcher, seconds)
            finally:
                watcher.close()
            with suppress(BlockingIOError):
                return self._sock.recv(RECEIVE_BYTES)

    def _break_off(self) -> None:
        """Abort, unless a close frame is being sent."""
        if not self.closed:
            self._abort()

    def _abort(self) -> None:
        """End without a close frame. gunicorn sends the reset when it closes the socket."""
        self.closed = True
        self.on_use()
        cancel_wait(self._read_watcher)
        with suppress(OSError):
            self._sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self._sock.shutdown(socket.SHUT_RDWR)  # wakes a greenlet that is writing
        self._ended.set()
