"""Make outbound requests. No other module does.

Each worker has one pool of connections. Redirects are not followed, cookies are not kept, proxies
and netrc files of the environment are ignored. Errors of HTTP libraries become `UpstreamError`.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from http.client import HTTPException

import gevent
from gevent.pool import Group
from urllib3.exceptions import HTTPError

from service.app_keys import AppKey
from service.observing.logs import log_info
from service.observing.measures import count_upstream_call
from service.outbound.destination import Destination, destination_of
from service.outbound.exchange import HttpExchange
from service.outbound.guarded import GuardedConnection, GuardedSecureConnection, NotPublic
from service.outbound.head import request_head
from service.outbound.pool import Pool
from service.outbound.stream import ByteStream, PooledStream, UpstreamError, read_all
from service.outbound.time_limit import TimeLimit
from service.release import USER_AGENT

UPSTREAM = AppKey["Upstream"]("upstream")


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
            stream = self._send(outbound)
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

    def _send(self, outbound: Outbound) -> PooledStream:
        """Send a request and read the head of the response. Raises `UpstreamError`."""
        try:
            destination, target = destination_of(outbound.url)
            head = request_head(outbound.method, target, _headers(outbound, destination))
        except ValueError:
            raise UpstreamError("cut") from None
        exchange = self._connect(outbound, destination)
        try:
            answer = exchange.run(outbound.method, head, outbound.body, outbound.idle)
        except TimeoutError:
            raise UpstreamError("timeout") from None
        except (HTTPException, OSError):
            raise UpstreamError("unanswered") from None
        return PooledStream(exchange, answer, self._drains)

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
