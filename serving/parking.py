"""Free the greenlet of a response while the response waits.

A greenlet that waits keeps its stack (docs/decisions/0036). When a response yields a `Pause`,
gunicorn is told that the response is over and that the connection is to be closed, and the greenlet
ends. The connection nevertheless stays open. When the response has something to send, it continues
in a new greenlet, which then handles the connection's next requests as the old one would have.
"""

import errno
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import gevent
import structlog
from gevent.pool import Pool
from gevent.socket import socket

from service.observing import attribution
from service.web.pauses import SUPPORTED, Pause
from serving.response import JoinedResponse

CLIENT_LEFT = (
    errno.EPIPE,
    errno.ECONNRESET,
    errno.ENOTCONN,
    errno.ETIMEDOUT,
    errno.EHOSTUNREACH,  # instead of ETIMEDOUT, if a router has reported it
    errno.ENETUNREACH,
)

# The parser of each connection's last request, which may have read a part of the next one.
parsers: dict[socket, Any] = {}

log = structlog.get_logger("server")


class Places(Pool):
    """The greenlets of a worker's connections. A parked response takes a place as well.

    So parked responses are limited too, and a worker that ends waits for them.
    """

    current: "Places"

    def __init__(self, size: int) -> None:
        super().__init__(size)
        self._held = 0
        Places.current = self

    def free_count(self) -> int:
        return max(0, int(super().free_count()) - self._held)

    def hold_place(self) -> bool:
        """Take a place. Return False if all are taken."""
        is_held = bool(self._semaphore.acquire(blocking=False))
        self._held += is_held
        return is_held

    def free_place(self) -> None:
        self._held -= 1
        self._semaphore.release()


class ParkingApp:
    """A WSGI app whose streamed responses may pause. `worker` is gunicorn's.

    If the worker listens on several addresses, the places of the last one and the name of the first
    one are used for all.
    """

    def __init__(self, app: Callable[..., Iterable[bytes]], worker: Any) -> None:
        self._app, self._worker = app, worker

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        response = getattr(start_response, "__self__", None)
        if type(response) is not JoinedResponse or type(response.sock) is not socket:
            return self._app(environ, start_response)
        environ[SUPPORTED] = True
        # The app has its own copy of them. A response may take long, and gunicorn needs only these.
        request = response.req
        request.headers = [header for header in request.headers if header[0] == "CONNECTION"]
        body = self._app(environ, start_response)
        is_file = isinstance(body, environ["wsgi.file_wrapper"])
        if is_file or response.response_length is not None:
            return body
        return ParkableBody(body, response, self._worker)


class ParkableBody:
    """The body of a response as gunicorn sees it: it ends when the response pauses."""

    __slots__ = ("_body", "_file", "_items", "_parser", "_response", "_worker")

    def __init__(self, body: Iterable[bytes], response: JoinedResponse, worker: Any) -> None:
        self._body: Any = body
        self._items = iter(body)
        self._response, self._worker = response, worker
        self._parser: Any = None
        self._file: Any = None

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        item = next(self._items)
        if type(item) is Pause and Places.current.hold_place():
            self._leave_gunicorn()
            self._park(item)
            raise StopIteration
        return item

    def _leave_gunicorn(self) -> None:
        """Keep the connection and its parser, and release the headers of the response."""
        request = self._response.req
        self._parser, request.parser = request.parser(), lambda: None
        # A socket that is closed stays open for its file.
        self._file = self._response.sock.makefile("rb", buffering=0)
        self._response.headers.clear()

    def close(self) -> None:
        """gunicorn calls it when the body has ended. A parked one has not."""
        if not self._response.is_parked and hasattr(self._body, "close"):
            self._body.close()

    def _park(self, pause: Pause) -> None:
        self._response.is_parked = True
        facts = attribution.current_facts()
        pause.then(lambda: attribution.give(gevent.spawn(self._go_on), facts))

    def _go_on(self) -> None:
        self._response.is_parked = is_whole = False
        try:
            is_whole = self._send()
        except OSError as error:
            if error.errno not in CLIENT_LEFT:
                log.warning("connection failed", error=type(error).__name__)
        finally:
            if not self._response.is_parked:
                self._end(is_whole)

    def _send(self) -> bool:
        """Send until the response pauses or ends. Return whether it has ended."""
        for item in self._items:
            if type(item) is Pause:
                self._park(item)
                return False
            self._response.write(item)
        self._response.close()
        return True

    def _end(self, is_whole: bool) -> None:
        worker, response = self._worker, self._response
        request, sock = response.req, response.sock
        is_kept = is_whole and worker.alive and not response.should_close()
        try:
            try:
                self.close()
            finally:
                worker.cfg.post_request(worker, request, {}, response)
            if is_kept:
                parsers[sock], address = self._parser, request.peer_addr
                # The connection may stay open for long. It must not keep this response in memory.
                del self._body, self._items, self._response, response, request
                worker.handle(worker.sockets[0], sock, address)
        finally:
            parsers.pop(sock, None)
            sock.close()
            self._file.close()
            Places.current.free_place()
