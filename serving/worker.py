"""gunicorn's gevent worker, with limits on the time in which a request has to arrive.

gunicorn bounds nothing but the pause before a request's head. Here a head has to be whole within
some seconds of its first byte, and each 32 KiB of a body within some seconds. A client that sends
steadily is served; one that stalls loses its connection. Answers are not limited here.
"""

import json
import time
import weakref
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import gunicorn.http
import gunicorn.util
from gunicorn.errors import AppImportError
from gunicorn.http.parser import RequestParser
from gunicorn.http.unreader import SocketUnreader
from gunicorn.workers.ggevent import GeventWorker
from werkzeug.exceptions import RequestTimeout

from config import ConfigError
from service import stray

BODY_STEP = 32 * 1024  # bytes of a body that each have the same time
DRAIN_BYTES = 8 << 20  # read of an unread body, so that its sender gets the refusal


class Limits:
    """Seconds: for a whole head, for each step of a body, between requests."""

    head = 15.0
    body = 30.0
    idle = 5.0


class TimedUnreader(SocketUnreader):
    """Reads from the connection while there is time; raises werkzeug's `RequestTimeout`.

    Each wait has the socket's own time-out, which costs nothing where the bytes are there.
    """

    def __init__(self, sock: Any) -> None:
        super().__init__(sock)
        self._request: Callable[[], Any] = lambda: None
        self.expect_request()

    def expect_request(self) -> None:
        self._expect("request", Limits.idle)

    def expect_body(self, request: Any) -> None:
        self._request = weakref.ref(request)  # a strong reference would be a cycle
        self._expect("body", Limits.body)

    def expect_rest(self) -> None:
        """Set the limits for reading the rest of a body that the app has not read."""
        self._expect("rest", Limits.idle)

    def _expect(self, what: str, seconds: float) -> None:
        self._what, self._received = what, 0
        self._ends = time.monotonic() + seconds

    def chunk(self, size_hint: int | None = None) -> bytes:
        try:
            self.sock.settimeout(max(self._ends - time.monotonic(), 0.001))
            data = super().chunk(size_hint)
        except TimeoutError:
            if self._what == "request":
                return b""  # no request has begun: as if the client had closed
            self._give_up()
            raise RequestTimeout from None
        finally:
            self.sock.settimeout(None)
        self._count(len(data))
        return data

    def _give_up(self) -> None:
        request = self._request()
        if request is not None:
            request.force_close()

    def _count(self, size: int) -> None:
        if self._what == "request":
            self._expect("head", Limits.head)
        self._received += size
        if self._what == "body" and self._received >= BODY_STEP:
            self._expect("body", Limits.body)


class TimedParser(RequestParser):
    def __init__(self, cfg: Any, source: Any, source_addr: Any) -> None:
        super().__init__(cfg, source, source_addr)
        self.unreader = TimedUnreader(source)

    def __next__(self) -> Any:
        request = super().__next__()
        self.unreader.expect_body(request)
        return request

    def finish_body(self, deadline: float | None = None, max_bytes: int | None = None) -> bool:
        """Before the next request; False closes the connection."""
        self.unreader.expect_rest()
        try:
            finished = super().finish_body(deadline, max_bytes or DRAIN_BYTES)
        except RequestTimeout:
            return False
        self.unreader.expect_request()
        return finished


def timed_parser(cfg: Any, source: Any, source_addr: Any) -> TimedParser:
    return TimedParser(cfg, source, source_addr)


class Worker(GeventWorker):
    """Boots the app, or says in one line which setting is wrong: gunicorn prints only the text of
    this error, but a traceback of any other."""

    def load_wsgi(self) -> None:
        stray.take_over()
        try:
            super().load_wsgi()
            self.wsgi.extensions.complete()
        except ConfigError as error:
            raise AppImportError(f"Error: {error}") from None

    def timeout_ctx(self) -> AbstractContextManager[None]:
        """Replace gunicorn's one limit for pause and head by nothing: ours are in the parser."""
        return nullcontext()

    def handle_error(self, req: Any, client: Any, addr: Any, exc: BaseException) -> None:
        if isinstance(exc, RequestTimeout):
            write_error(client, 408, "Request Timeout", "")
        else:
            super().handle_error(req, client, addr, exc)


def write(sock: Any, data: bytes, chunked: bool = False) -> None:
    """gunicorn's own without `sendall`: gevent's asks the kernel for its buffer's size each time,
    which was a tenth of the cost of a streamed token."""
    left = memoryview(b"%x\r\n%b\r\n" % (len(data), data) if chunked else data)
    while left:
        left = left[sock.send(left) :]


def write_error(sock: Any, status: int, reason: str, _text: str) -> None:
    """Answer what gunicorn refuses before the service sees it, in the form of all errors."""
    code = "invalid_request" if status < 500 else "internal_error"
    body = json.dumps({"error": code, "message": reason})
    head = f"HTTP/1.1 {status} {reason}\r\nConnection: close\r\nContent-Type: application/json\r\n"
    answer = f"{head}Content-Length: {len(body)}\r\n\r\n{body}"
    gunicorn.util.write_nonblock(sock, answer.encode())


def install(head: float, body: float, idle: float) -> None:
    """Replace gunicorn's parser and writers by these."""
    Limits.head, Limits.body, Limits.idle = head, body, idle
    gunicorn.http.get_parser = timed_parser
    gunicorn.util.write = write
    gunicorn.util.write_error = write_error
