"""Read requests within time limits.

gunicorn limits only the pause before a request. This parser also limits the time from the first
byte of the head to its end, and the time for each 32 KiB of a body. A client that sends steadily is
served; one that stalls loses its connection.

If a client sends faster than its requests are read, no read ever waits. The parser therefore lets
other clients be served in between.
"""

import socket
import time
import weakref
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from gunicorn.http.errors import ParseException
from gunicorn.http.parser import RequestParser
from gunicorn.http.unreader import SocketUnreader
from werkzeug.exceptions import RequestTimeout

from service.fairness import WorkBudget, let_others_run
from serving import parking, refusals

BODY_STEP = 32 * 1024  # bytes of a body to which the time limit applies
DRAIN_BYTES = 8 << 20  # read of a body that the app has left, so that its sender gets the response
# Bytes of framing beyond three times the content. More framing only costs time. One MiB of content
# may have been read ahead.
FRAMING_LIMIT = SocketUnreader.max_body_chunk + 64 * 1024

received = WorkBudget(8 * 1024)  # bytes of all clients; in chunks of one byte they take 5 ms
together = WorkBudget(0)  # requests that came with the previous one


class RequestLimits:
    """Time limits in seconds: for a head, for each step of a body, and between requests."""

    head = 15.0
    body = 30.0
    idle = 5.0


class TimedUnreader(SocketUnreader):
    """Read from the connection within the limits. Raises werkzeug's `RequestTimeout`.

    Each read has the timeout of the socket, which costs nothing if the bytes are already there.
    """

    def __init__(self, sock: Any) -> None:
        super().__init__(sock)
        self._request: Callable[[], Any] = lambda: None
        self.expect_request()

    def expect_request(self) -> None:
        self.start = self.buf.getvalue()[: refusals.START_BYTES]  # of the next request
        if self.start.strip(b"\r\n"):  # it has begun in the packet of the last request
            self._expect("head", RequestLimits.head)
        else:
            self._expect("request", RequestLimits.idle)

    def expect_body(self, request: Any) -> None:
        self._request = weakref.ref(request)  # a strong reference would be a cycle
        self._expect("body", RequestLimits.body)

    def expect_rest(self) -> None:
        """Set the limits for reading the rest of a body that the app has not read."""
        self._expect("rest", RequestLimits.idle)

    def _expect(self, what: str, seconds: float) -> None:
        self._what, self._received = what, 0
        self._deadline = time.monotonic() + seconds

    def chunk(self, size_hint: int | None = None) -> bytes:
        try:
            self.sock.settimeout(max(self._deadline - time.monotonic(), 0.001))
            data: bytes = super().chunk(size_hint)
        except TimeoutError:
            if self._what == "request":
                return b""  # no request has begun, so this is the end of the connection
            self._close_connection()
            raise RequestTimeout from None
        finally:
            self.sock.settimeout(None)
        self._count(data)
        received.spend(len(data))
        if self._what == "rest" and self._received > DRAIN_BYTES:
            raise ParseException("too much is left of the body")
        return data

    @property
    def received(self) -> int:
        """How many bytes of the rest of a body have come."""
        return self._received

    @property
    def has_next_request(self) -> bool:
        """Whether a part of the next request has been read with the last one."""
        position: int = self.buf.tell()
        return position > 0

    def _close_connection(self) -> None:
        request = self._request()
        if request is not None:
            request.force_close()

    def _count(self, data: bytes) -> None:
        if self._what == "request":
            self._expect("head", RequestLimits.head)
        if self._what == "head" and len(self.start) < refusals.START_BYTES:
            self.start = (self.start + data)[: refusals.START_BYTES]
        self._received += len(data)
        if self._what == "body" and self._received >= BODY_STEP:
            self._expect("body", RequestLimits.body)


class TimedParser(RequestParser):
    """A parser of requests that reads within the limits."""

    def __init__(self, cfg: Any, source: Any, source_addr: Any) -> None:
        super().__init__(cfg, source, source_addr)
        self.unreader = TimedUnreader(source)

    def __next__(self) -> Any:
        try:
            request = super().__next__()
        except (ParseException, RequestTimeout):
            refusals.begin(self.unreader.start)
            raise
        request.parser = weakref.ref(self)
        self.unreader.expect_body(request)
        return request

    def finish_body(self, deadline: float | None = None, max_bytes: int | None = None) -> bool:
        """Read the rest of a body before the next request. Return False to close the connection."""
        self.unreader.expect_rest()
        try:
            is_finished = self._skip_body()
        except (ParseException, RequestTimeout):  # the request is answered already
            return False
        if self.unreader.has_next_request:
            together.spend(1)  # requests that came together need no wait between them
        self.unreader.expect_request()
        return is_finished

    def end(self) -> None:
        """Read the rest of a body before the connection is closed.

        Closing a connection with unread bytes resets it, and a client that still sends may then
        lose the answer.
        """
        if not self._is_read:
            with suppress(OSError):
                self.unreader.sock.shutdown(socket.SHUT_WR)
                self.finish_body()

    @property
    def _is_read(self) -> bool:
        """Whether the app has read the whole body, which has a length or is sent in chunks."""
        reader = self.mesg.body.reader
        return not getattr(reader, "length", None) and not getattr(reader, "parser", None)

    def _skip_body(self) -> bool:
        """Read the rest of a body. Return whether all of it was read.

        gunicorn's own way takes 130 ms for 8 MB that have arrived: it reads a KiB at a time, and
        copies the remaining bytes each time.
        """
        body = self.mesg.body if self.mesg else None
        if body is None or body.failed:
            return body is None
        skipped = 0
        while piece := body.read(BODY_STEP):
            skipped += len(piece)
            if self.unreader.received > 4 * skipped + FRAMING_LIMIT:
                return False
            let_others_run()
        return True


def timed_parser(cfg: Any, source: Any, source_addr: Any) -> TimedParser:
    return parking.parsers.pop(source, None) or TimedParser(cfg, source, source_addr)
