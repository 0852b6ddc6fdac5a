"""gunicorn's gevent worker, with time limits for the arrival of a request.

gunicorn limits only the pause before a request. This worker also limits the time from the first
byte of the head to its end, and the time for each 32 KiB of a body. A client that sends steadily is
served; one that stalls loses its connection. Responses have no limit here.
"""

import json
import time
import weakref
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import lru_cache
from typing import Any

import gevent
import gunicorn.http
import gunicorn.http.message
import gunicorn.http.wsgi
import gunicorn.util
import gunicorn.workers.ggevent
from gevent.baseserver import BaseServer
from gunicorn.errors import AppImportError
from gunicorn.http.parser import RequestParser
from gunicorn.http.unreader import SocketUnreader
from gunicorn.workers.ggevent import GeventWorker
from werkzeug.exceptions import RequestTimeout

from config import ConfigError
from service.observing import stray
from service.raw_sockets import CHUNK, send_all
from serving import parking
from serving.own_stack import OwnStack
from serving.response import JoinedResponse

BODY_STEP = 32 * 1024  # bytes of a body to which the time limit applies
PEERS = 1000  # addresses whose check is remembered
STAY_SECONDS = 0.1  # between looks at the work that is left
DRAIN_BYTES = 8 << 20  # of a body that the app has not read, so that its sender gets the response


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
            data = super().chunk(size_hint)
        except TimeoutError:
            if self._what == "request":
                return b""  # no request has begun, so this is the end of the connection
            self._close_connection()
            raise RequestTimeout from None
        finally:
            self.sock.settimeout(None)
        self._count(len(data))
        return data

    def _close_connection(self) -> None:
        request = self._request()
        if request is not None:
            request.force_close()

    def _count(self, size: int) -> None:
        if self._what == "request":
            self._expect("head", RequestLimits.head)
        self._received += size
        if self._what == "body" and self._received >= BODY_STEP:
            self._expect("body", RequestLimits.body)


class TimedParser(RequestParser):
    """A parser of requests that reads within the limits."""

    def __init__(self, cfg: Any, source: Any, source_addr: Any) -> None:
        super().__init__(cfg, source, source_addr)
        self.unreader = TimedUnreader(source)

    def __next__(self) -> Any:
        request = super().__next__()
        request.parser = weakref.ref(self)
        self.unreader.expect_body(request)
        return request

    def finish_body(self, deadline: float | None = None, max_bytes: int | None = None) -> bool:
        """Read the rest of a body before the next request. False closes the connection."""
        self.unreader.expect_rest()
        try:
            is_finished = super().finish_body(deadline, max_bytes or DRAIN_BYTES)
        except RequestTimeout:
            return False
        self.unreader.expect_request()
        return is_finished


def timed_parser(cfg: Any, source: Any, source_addr: Any) -> TimedParser:
    return parking.parsers.pop(source, None) or TimedParser(cfg, source, source_addr)


class Worker(GeventWorker):
    """Boot the app, or report an invalid setting in one line.

    gunicorn prints the text of an `AppImportError`, and a traceback of any other exception.
    """

    wsgi: Any

    def init_process(self) -> None:
        """gunicorn looks each setting up by its name, twenty times for a request. They no longer
        change in a worker, so here they become the configuration's own attributes."""
        self.cfg.__dict__.update({name: one.get() for name, one in self.cfg.settings.items()})
        super().init_process()

    def load_wsgi(self) -> None:
        stray.install()
        try:
            super().load_wsgi()
            self.wsgi.extensions.complete()
            self.wsgi = parking.ParkingApp(OwnStack(self.wsgi), self)
        except ConfigError as error:
            raise AppImportError(f"Error: {error}") from None

    def run(self) -> None:
        """Serve, and stay until the work is done that goes on without a request.

        gunicorn returns as soon as no request is left. The master kills a worker that stays longer
        than the grace time.
        """
        super().run()
        lifecycle = self.app.callable.extensions["lifecycle"]
        while not lifecycle.is_done:
            self.notify()
            gevent.sleep(STAY_SECONDS)

    def timeout_ctx(self) -> AbstractContextManager[None]:
        """Disable gunicorn's limit, which the limits of the parser replace."""
        return nullcontext()

    def handle_error(self, req: Any, client: Any, addr: Any, exc: BaseException) -> None:
        if isinstance(exc, RequestTimeout):
            write_error(client, 408, "Request Timeout", "")
        else:
            super().handle_error(req, client, addr, exc)


def write(sock: Any, data: bytes, chunked: bool = False) -> None:
    """Write as gunicorn does, but without `sendall`."""
    send_all(sock, CHUNK % (len(data), data) if chunked else data)


def cached_date(http_date: Callable[[float], str]) -> Callable[..., str]:
    """gunicorn's date of a response, which is the same for all of a second."""
    date_of = lru_cache(1)(http_date)
    return lambda moment=None: date_of(int(time.time() if moment is None else moment))


def write_error(sock: Any, status: int, reason: str, _text: str) -> None:
    """Answer a request that gunicorn refuses, in the form of the service's errors."""
    code = "invalid_request" if status < 500 else "internal_error"
    body = json.dumps({"error": code, "message": reason})
    head = f"HTTP/1.1 {status} {reason}\r\nConnection: close\r\nContent-Type: application/json\r\n"
    answer = f"{head}Content-Length: {len(body)}\r\n\r\n{body}"
    gunicorn.util.write_nonblock(sock, answer.encode())


def remembered(is_in_allow_list: Callable[..., bool]) -> Callable[..., bool]:
    """gunicorn's check of a peer's address, which parses it anew for each request.

    The lists belong to the configuration, which lasts as long as the process.
    """
    known: dict[tuple[str, int], bool] = {}

    def check(address: str, allowed: list[str], networks: list[Any]) -> bool:
        key = address, id(allowed)
        if key not in known:
            if len(known) >= PEERS:
                known.clear()
            known[key] = is_in_allow_list(address, allowed, networks)
        return known[key]

    return check


def install(head: float, body: float, idle: float) -> None:
    """Replace gunicorn's parser, response, pool and writers and set the limits, in seconds."""
    RequestLimits.head, RequestLimits.body, RequestLimits.idle = head, body, idle
    # A few new connections in each round of the event loop: those before them go on meanwhile. One
    # alone would cost a tenth more for each turn, because tokens then share fewer writes.
    BaseServer.max_accept = 4
    gunicorn.http.get_parser = timed_parser
    gunicorn.http.message._ip_in_allow_list = remembered(gunicorn.http.message._ip_in_allow_list)
    gunicorn.http.wsgi.Response = JoinedResponse
    gunicorn.workers.ggevent.Pool = parking.Places
    gunicorn.util.http_date = cached_date(gunicorn.util.http_date)
    gunicorn.util.write = write
    gunicorn.util.write_error = write_error
