"""Read a connection in the event loop while a greenlet waits for its bytes, or without a greenlet.

Waking a greenlet for each token and letting it wait again costs more than reading and decoding the
token. Also, a greenlet's read first tries the connection in vain before it waits. And a greenlet
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
READ_BYTES = 65_536  # that one read takes at most

TakePiece = Callable[[bytes], bool]


class Framed(Protocol):
    """A body whose framing `decode` removes. `complete` is true when all of it is decoded."""

    complete: bool

    def decode(self, data: bytes) -> bytes:
        """Return `data` without its framing. Raises HTTPException."""


class Arrivals:
    """Offers the arriving pieces of a body to `take`, until it refuses a piece.

    `take` is called in the event loop, where nothing may wait.
    """

    __slots__ = ("_body", "_error", "_piece", "_receive", "_resume", "_take", "_watcher")

    def __init__(
        self, body: Framed, receive: Callable[[], bytes], take: TakePiece, descriptor: int
    ) -> None:
        self._body, self._receive, self._take = body, receive, take
        self._resume: Callable[[], object] | None = None
        self._piece: bytes | None = None  # the result, once there is one
        self._error: BaseException | None = None
        self._watcher = get_hub().loop.io(descriptor, READ)
        self._watcher.start(self._on_readable)

    def wait(self) -> bytes:
        """Return the refused piece, or b"" at the end, or if the caller must read by itself.

        Raises HTTPException.
        """
        self._resume = getcurrent().switch
        try:
            while self._piece is None:
                get_hub().switch()
        finally:
            self._resume = None  # afterwards this greenlet may do other work
            self.stop()
        return self.result()

    def then(self, resume: Callable[[], object]) -> None:
        """Have a function called in the event loop when a piece is refused.

        So no greenlet has to wait for it.
        """
        self._resume = resume
        if self._piece is not None:
            self._end(self._piece)

    def fail(self, error: BaseException) -> None:
        """Set an error from outside as the result, unless there already is a result."""
        if self._piece is None:
            self._error = error
            self._end(b"")

    def result(self) -> bytes:
        """Return what `wait` returns. Raises HTTPException, or an error from outside, once."""
        self.stop()
        error, self._error = self._error, None
        try:
            if error:
                raise error
        finally:
            del error  # its traceback has this frame
        return self._piece or b""

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
            data = b""  # the reader's own read gets the error again
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


def receiver(sock: Any) -> Callable[[], bytes]:
    """Return a function that reads the bytes that have arrived. Raises `WOULD_WAIT` without any.

    The function empties TLS's buffer, because the event loop does not call again for decrypted
    bytes.
    """
    secure = getattr(sock, "_sslobj", None)
    if secure is None:
        return partial(plain_socket(sock).recv, READ_BYTES)

    def receive() -> bytes:
        pieces = [secure.read(READ_BYTES)]
        while secure.pending():
            pieces.append(secure.read(READ_BYTES))
        return b"".join(pieces)

    return receive
