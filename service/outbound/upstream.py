"""Make outbound requests. No other module does.

Each worker has one pool of connections. Redirects are not followed, cookies are not kept, proxies
and netrc files of the environment are ignored. Errors of HTTP libraries become `UpstreamError`.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from http.client import HTTPException
from typing import Literal, Protocol

import gevent
import structlog
from gevent.pool import Group
from urllib3.exceptions import HTTPError

from service.app_keys import AppKey
from service.observing.logs import log_info
from service.observing.measures import count_upstream_call
from service.outbound.arrivals import Arrivals, TakePiece
from service.outbound.destination import Destination, destination_of
from service.outbound.exchange import HttpExchange
from service.outbound.guarded import GuardedConnection, GuardedSecureConnection, NotPublic
from service.outbound.head import request_head
from service.outbound.pool import Pool
from service.outbound.time_limit import TimeLimit
from service.release import USER_AGENT

DRAIN_SECONDS = 2.0  # for the end of a body whose content is complete
DRAIN_BYTES = 65_536
UPSTREAM = AppKey["Upstream"]("upstream")

log = structlog.get_logger("upstream")

# A request that is `unreachable` or `not-public` was not sent. An `unanswered` one may have been.
Reason = Literal["unreachable", "unanswered", "timeout", "cut", "too-large", "not-public"]


class UpstreamError(Exception):
    """An upstream gave no usable answer. `reason` is the kind of failure. `cause`, for operators,
    is the type of the underlying error."""

    def __init__(self, reason: Reason, cause: str | None = None) -> None:
        super().__init__(reason)
        self.reason, self.cause = reason, cause


@dataclass(frozen=True, slots=True)
class Outbound:
    """One request.

    `name` is the name of the upstream in logs and metrics. `connect`, `idle` and `whole` are
    timeouts in seconds: `idle` limits each read, and `whole` the time from the DNS look-up to the
    last read. `idle` is None if something else limits the reads, which saves a timer for each
    token. Set `guarded` if the URL comes from a user: only public addresses are called. Requests
    that are not `is_logged` are only counted.
    """

    name: str
    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes | None = None
    connect: float = 10
    idle: float | None = 30
    whole: float | None = None
    guarded: bool = False
    is_logged: bool = True


class ByteStream(Protocol):
    """A response whose body is arriving."""

    status: int
    headers: Mapping[str, str]

    def read(self, take: TakePiece | None = None) -> bytes:
        """Return at least one byte, or b"" at the end. Raises `UpstreamError`. Bytes that `take`
        takes in the event loop are not returned, and `idle` does not limit pauses between them."""

    def park(self, take: TakePiece) -> Arrivals | None:
        """Offer arriving bytes to `take`, without a greenlet that waits. `read` returns the bytes
        that it refuses. Returns None if there is something to read."""

    def finish(self) -> None:
        """Declare that the rest of the body is not needed and is expected to be short."""

    def close(self) -> None: ...


class PooledStream:
    """A `ByteStream` over a pooled connection, which is reused if the body is read to its end.

    `drains` are the greenlets that read the ends of bodies.
    """

    __slots__ = ("_body", "_broken", "_drains", "_exchange", "_finished", "headers", "status")

    def __init__(self, exchange: HttpExchange, drains: Group) -> None:
        self._exchange, self._drains = exchange, drains
        self._broken = self._finished = False
        self._body = exchange.body
        self.status = exchange.head.status
        self.headers: Mapping[str, str] = exchange.head.headers

    def read(self, take: TakePiece | None = None) -> bytes:
        try:
            return self._body.read(take)
        except TimeoutError:
            self._broken = True
            raise UpstreamError("timeout") from None
        except (HTTPException, OSError):
            self._broken = True
            raise UpstreamError("cut") from None

    def park(self, take: TakePiece) -> Arrivals | None:
        return self._body.park(take)

    def finish(self) -> None:
        """Read the rest of the body in the background, then return the connection to the pool.

        A provider's last event arrives shortly before the end of the body. Without reading that
        end, the connection could not be reused, and the next step would open a new one.
        """
        if not self._broken and not self._body.complete:
            self._finished = True
            self._drains.spawn(self._drain)
            gevent.sleep(0)  # lets the greenlet read the bytes that have arrived

    def close(self) -> None:
        if not self._finished:
            self._exchange.end()

    def _drain(self) -> None:
        left = DRAIN_BYTES
        try:
            with gevent.Timeout(DRAIN_SECONDS, False):
                while left > 0 and (data := self._body.read()):
                    left -= len(data)
        except (HTTPException, OSError) as error:
            log.debug("connection not reusable", error=type(error).__name__)
        finally:
            self._exchange.end()


class Upstream:
    """Make outbound requests over one pool of connections."""

    def __init__(self) -> None:
        self._pool, self._drains = Pool(), Group()
        self._guarded = Pool(GuardedConnection, GuardedSecureConnection)

    @contextmanager
    def open(self, outbound: Outbound) -> Iterator[ByteStream]:
        """Yield the response when its headers have arrived, and close it on exit.

        Raises `UpstreamError`. The connection is reused if the body is read to its end.
        """
        outcome, why, stream = "failed", {}, None
        limit = TimeLimit.start_new(outbound.whole)
        try:
            stream = PooledStream(self._send(outbound), self._drains)
            outbound = replace(outbound, body=None)  # not kept while the response arrives
            outcome = str(stream.status)
            yield stream
        except gevent.Timeout as expired:
            if expired is not limit:
                raise
            outcome = "timeout"
            raise UpstreamError("timeout") from None
        except UpstreamError as error:
            outcome, why = error.reason, {"cause": error.cause} if error.cause else {}
            raise
        finally:
            limit.close()
            if stream:
                stream.close()
            count_upstream_call(outbound.name, outcome).inc()
            if outbound.is_logged:
                facts = {"host": _host(outbound), "outcome": outcome, **why}
                log_info("called", upstream=outbound.name, **facts)

    def fetch(self, outbound: Outbound, limit: int) -> tuple[int, bytes]:
        """Return the status and the body, of at most `limit` bytes. Raises `UpstreamError`."""
        with self.open(outbound) as stream:
            return stream.status, read_all(stream, limit)

    def close(self) -> None:
        """Close all connections, including those whose body is still being read."""
        self._drains.kill()
        self._pool.close()
        self._guarded.close()

    def _send(self, outbound: Outbound) -> HttpExchange:
        """Send a request and read the head of the response. Raises `UpstreamError`."""
        try:
            destination, target = destination_of(outbound.url)
            head = request_head(outbound.method, target, _headers(outbound, destination))
        except ValueError:
            raise UpstreamError("cut") from None
        exchange = self._connect(outbound, destination)
        try:
            exchange.run(outbound.method, head, outbound.body, outbound.idle)
        except TimeoutError:
            raise UpstreamError("timeout") from None
        except (HTTPException, OSError):
            raise UpstreamError("unanswered") from None
        return exchange

    def _connect(self, outbound: Outbound, destination: Destination) -> HttpExchange:
        """Take a connection. Raises `UpstreamError`; nothing has been sent in that case."""
        pool = self._guarded if outbound.guarded else self._pool
        try:
            return HttpExchange(pool, destination.origin, outbound.connect)
        except NotPublic:
            raise UpstreamError("not-public") from None
        except (HTTPError, HTTPException, OSError) as error:
            cause = error.__context__ or error  # urllib3's errors replace those of the socket
            raise UpstreamError("unreachable", type(cause).__name__) from None


def _headers(outbound: Outbound, destination: Destination) -> Iterator[tuple[str, str]]:
    """Yield the headers of a request. Of headers with one name, the last counts."""
    yield "Host", destination.host
    yield "Accept-Encoding", "identity"
    yield "User-Agent", USER_AGENT
    yield from outbound.headers.items()
    if destination.authorization:
        yield "Authorization", destination.authorization
    if outbound.body is not None or outbound.method not in ("GET", "HEAD"):
        yield "Content-Length", str(len(outbound.body or b""))


def _host(outbound: Outbound) -> str | None:
    """Return the host's name, for the log."""
    try:
        return destination_of(outbound.url)[0].origin.host
    except ValueError:
        return None


def read_all(stream: ByteStream, limit: int) -> bytes:
    """Return the rest of the body. Raises `UpstreamError`, also if it is over `limit` bytes."""
    body = bytearray()
    while piece := stream.read():
        body += piece
        if len(body) > limit:
            raise UpstreamError("too-large")
    return bytes(body)
