"""Reading a connection in the event loop while a greenlet waits for its bytes, or without one.

To wake a greenlet for each token and to let it wait again costs more than to read and to decode the
token. Also, a greenlet's read tries the connection first, in vain, before it waits. And a greenlet
that waits keeps its stack (docs/decisions/0036).
"""

import ssl
from collections.abc import Callable
from functools import partial
from http.client import HTTPException
from typing import Any, Protocol

from gevent import get_hub, getcurrent

from service.raw_sockets import READ, plain_socket

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

    __slots__ = ("_body", "_error", "_piece", "_receive", "_resume", "_take", "_watcher")

    def __init__(
        self, body: Framed, receive: Callable[[], bytes], take: Take, descriptor: int
    ) -> None:
        self._body, self._receive, self._take = body, receive, take
        self._resume: Callable[[], object] | None = None
        self._piece: bytes | None = None  # the result, once there is one
        self._error: BaseException | None = None
        self._watcher = get_hub().loop.io(descriptor, READ)
        self._watcher.start(self._on_readable)

    def wait(self) -> bytes:
        """Return the piece that was refused; b"" at the end, or if the caller must read by itself.

        Raises HTTPException.
        """
        self._resume = getcurrent().switch
        try:
            while self._piece is None:
                get_hub().switch()
        finally:
            self._resume = None  # this greenlet may do other work then
            self.stop()
        return self.result()

    def then(self, resume: Callable[[], object]) -> None:
        """Have a function called, in the event loop, when a piece was refused. So no greenlet has
        to wait for it."""
        self._resume = resume
        if self._piece is not None:
            self._end(self._piece)

    def fail(self, error: BaseException) -> None:
        """Let the result be an error from outside. A result that is there already stays."""
        if self._piece is None:
            self._error = error
            self._end(b"")

    def result(self) -> bytes:
        """What `wait` returns. Raises as it does, and an error from outside."""
        self.stop()
        if self._error:
            raise self._error
        return self._piece or b""

    @property
    def is_watching(self) -> bool:
        return self._watcher is not None

    def stop(self) -> None:
        """Take nothing more. Call it before the connection is closed."""
        if self._watcher:
            self._watcher.stop()
            self._watcher.close()
            self._watcher = None

    def _on_readable(self) -> None:
        if self._piece is not None:
            return
        try:
            data = self._receive()
        except WOULD_WAIT:
            return
        except OSError:
            data = b""  # the reader's own read meets the error again
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
                self._end(piece)

    def _end(self, piece: bytes) -> None:
        self._piece = piece
        resume, self._resume = self._resume, None
        if resume:
            self.stop()
            resume()


def receiver(sock: Any, size: int = 65_536) -> Callable[[], bytes]:
    """A function that reads what has arrived, and raises one of `WOULD_WAIT` if nothing has.

    TLS may hold decrypted bytes for which the event loop does not call again.
    """
    secure = getattr(sock, "_sslobj", None)
    if secure is None:
        return partial(plain_socket(sock).recv, size)

    def receive() -> bytes:
        pieces = [secure.read(size)]
        while secure.pending():
            pieces.append(secure.read(size))
        return b"".join(pieces)

    return receive
