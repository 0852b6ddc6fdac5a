"""Reading a connection in the event loop while a greenlet waits for its bytes.

To wake a greenlet for each token and to let it wait again costs more than to read and to decode the
token. Also, a greenlet's read tries the connection first, in vain, before it waits.
"""

import ssl
from collections.abc import Callable
from functools import partial
from http.client import HTTPException
from typing import Any, Protocol

from gevent import get_hub, getcurrent

READ = 1  # the event loop's flag
WOULD_WAIT = (BlockingIOError, InterruptedError, ssl.SSLWantReadError, ssl.SSLWantWriteError)

Take = Callable[[bytes], bool]


class Framed(Protocol):
    """A body whose framing `decode` removes. `complete` is true once all of it was decoded."""

    complete: bool

    def decode(self, data: bytes) -> bytes:
        """Raises HTTPException."""


class Arrivals:
    """Offers what arrives of a body to `take`, until that refuses a piece.

    `take` is called in the event loop, where nothing may wait.
    """

    __slots__ = ("_body", "_error", "_greenlet", "_piece", "_receive", "_take")

    def __init__(self, body: Framed, receive: Callable[[], bytes], take: Take) -> None:
        self._body, self._receive, self._take = body, receive, take
        self._greenlet: Any = None
        self._piece: bytes | None = None  # the result, once there is one
        self._error: HTTPException | None = None

    def wait(self, descriptor: int) -> bytes:
        """Return the piece that was refused; b"" at the end, or if the caller must read by itself.

        Raises HTTPException.
        """
        hub = get_hub()
        self._greenlet = getcurrent()
        watcher = hub.loop.io(descriptor, READ)
        watcher.start(self._on_readable)
        try:
            while self._piece is None:
                hub.switch()
        finally:
            watcher.stop()
            watcher.close()
        if self._error:
            raise self._error
        return self._piece

    def _on_readable(self) -> None:
        if self._piece is not None:
            return
        try:
            data = self._receive()
        except WOULD_WAIT:
            return
        except OSError:
            data = b""  # the greenlet's own read meets the error again
        piece, may_wait = b"", False
        try:
            if data:
                piece = self._body.decode(data)
                if not piece or self._take(piece):
                    piece, may_wait = b"", not self._body.complete
        except HTTPException as error:
            self._error = error
        finally:
            if not may_wait:
                self._piece = piece
                self._greenlet.switch()


def receiver(sock: Any, size: int = 65_536) -> Callable[[], bytes]:
    """A function that reads what has arrived, and raises one of `WOULD_WAIT` if nothing has.

    It reads from beneath gevent's socket, which would wait. TLS may hold decrypted bytes for which
    the event loop does not call again.
    """
    secure = getattr(sock, "_sslobj", None)
    if secure is None:
        return partial(sock._sock.recv, size)

    def receive() -> bytes:
        pieces = [secure.read(size)]
        while secure.pending():
            pieces.append(secure.read(size))
        return b"".join(pieces)

    return receive
