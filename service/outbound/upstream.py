"""Make outbound requests. No other module does.

Each worker has one pool of connections. Redirects are not followed, and proxies and netrc files of
the environment are ignored. Exceptions of the HTTP libraries become `UpstreamError`.
"""

import re
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from email.utils import mktime_tz, parsedate_tz
from http.client import HTTPException
from typing import Any, Literal, Protocol
from urllib.parse import urlsplit

import gevent
import requests
import structlog
from gevent.pool import Group
from urllib3.exceptions import HTTPError, NewConnectionError, ReadTimeoutError, SSLError

from service.observing.observe import UPSTREAM_CALLS
from service.outbound.body import ResponseBody
from service.outbound.connecting import Adapter
from service.outbound.guarded import GuardedAdapter, NotPublic

POOLED_CONNECTIONS = 100
DRAIN_SECONDS = 2.0  # for the end of a body whose content is complete
DRAIN_BYTES = 65_536
USER_AGENT = "chat-integration-service/0.1.0"  # name and version as in setup.cfg

SECONDS = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9})?")  # some hosts send fractions

log = structlog.get_logger("upstream")

# A request that is `unreachable` or `not-public` was not sent. An `unanswered` one may have been.
Reason = Literal["unreachable", "unanswered", "timeout", "cut", "too-large", "not-public"]


class UpstreamError(Exception):
    """An upstream gave no usable answer. `reason` is the kind of failure."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True)
class Outbound:
    """One request.

    `name` is the name of the upstream in logs and metrics. `connect`, `idle` and `whole` are
    timeouts in seconds: `idle` limits each read, and `whole` the time from the DNS look-up to the
    last read. `idle` is None where something else limits the reads, which saves a timer for each
    token. Set `guarded` if the URL comes from a user: only public addresses are called.
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


class ByteStream(Protocol):
    """A response whose body is arriving."""

    status: int
    headers: Mapping[str, str]

    def read(self) -> bytes:
        """Return at least one byte, or b"" at the end. Raises `UpstreamError`."""

    def finish(self) -> None:
        """Declare that the rest of the body is not needed and is expected to be short."""

    def close(self) -> None: ...


class PooledStream:
    """A `ByteStream` over a pooled connection, which is reused if the body is read to its end.

    `drains` are the greenlets that read the ends of bodies.
    """

    def __init__(self, response: requests.Response, drains: Group) -> None:
        self._response, self._drains = response, drains
        self._broken = self._finished = False
        self._body = ResponseBody(response.raw)
        self.status = response.status_code
        self.headers: Mapping[str, str] = response.headers

    def read(self) -> bytes:
        try:  # without `_translate_errors`, which is slower: this is called for every token
            return self._body.read()
        except TimeoutError:
            self._broken = True
            raise UpstreamError("timeout") from None
        except (HTTPException, OSError):
            self._broken = True
            raise UpstreamError("cut") from None

    def finish(self) -> None:
        """Read the rest of the body in the background, then return the connection to the pool.

        A provider's last event arrives shortly before the end of the body. Without reading that
        end, the connection could not be reused, and the next step would open a new one.
        """
        if not self._broken and not self._body.complete:
            self._finished = True
            self._drains.spawn(self._drain)
            gevent.sleep(0)  # lets the greenlet read what has already arrived

    def close(self) -> None:
        if not self._finished:
            self._end()

    def _drain(self) -> None:
        left = DRAIN_BYTES
        try:
            with gevent.Timeout(DRAIN_SECONDS, False):
                while left > 0 and (data := self._body.read()):
                    left -= len(data)
        except (HTTPException, OSError) as error:
            log.debug("connection not reusable", error=type(error).__name__)
        finally:
            self._end()

    def _end(self) -> None:
        if self._body.complete:
            self._body.give_back()
        else:
            self._response.raw.close()


class Upstream:
    """Make outbound requests over one pool of connections."""

    def __init__(self) -> None:
        self._session = requests.Session()
        self._session.trust_env = False
        adapter = Adapter(pool_connections=32, pool_maxsize=POOLED_CONNECTIONS)
        self._session.mount("https://", adapter)
        self._session.mount("http://", adapter)
        self._guarded = GuardedAdapter(pool_maxsize=POOLED_CONNECTIONS)
        self._drains = Group()

    @contextmanager
    def open(self, outbound: Outbound) -> Iterator[ByteStream]:
        """Yield the response when its headers have arrived, and close it on exit.

        Raises `UpstreamError`. The connection is reused if the body is read to its end.
        """
        outcome = "failed"
        stream = None
        limit = gevent.Timeout.start_new(outbound.whole)
        try:
            with _translate_errors():
                stream = PooledStream(self._send(outbound), self._drains)
            outcome = str(stream.status)
            yield stream
        except gevent.Timeout as expired:
            if expired is not limit:
                raise
            outcome = "timeout"
            raise UpstreamError("timeout") from None
        except UpstreamError as error:
            outcome = error.reason
            raise
        finally:
            limit.close()
            if stream:
                stream.close()
            UPSTREAM_CALLS.labels(outbound.name, outcome).inc()
            host = urlsplit(outbound.url).hostname
            log.info("called", upstream=outbound.name, host=host, outcome=outcome)

    def fetch(self, outbound: Outbound, limit: int) -> tuple[int, bytes]:
        """Return the status and the body, of at most `limit` bytes. Raises `UpstreamError`."""
        with self.open(outbound) as stream:
            return stream.status, read_all(stream, limit)

    def close(self) -> None:
        """Close all connections, including those whose body is still being read."""
        self._drains.kill()
        self._session.close()
        self._guarded.close()

    def _send(self, outbound: Outbound) -> requests.Response:
        """Send the request by the adapter itself, without a session's cookies and redirects."""
        defaults = {"Accept-Encoding": "identity", "User-Agent": USER_AGENT}
        headers: dict[str, Any] = {**defaults, **outbound.headers}
        request = requests.Request(outbound.method, outbound.url, headers, data=outbound.body)
        guarded, url = self._guarded, outbound.url
        adapter = guarded if outbound.guarded else self._session.get_adapter(url)
        timeout: Any = (outbound.connect, outbound.idle)  # the stubs lack this pair of types
        return adapter.send(request.prepare(), stream=True, timeout=timeout)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds in a `Retry-After` header, or None if it holds no number and no date.

    A date in the past gives 0. Source: RFC 9110, section 10.2.3.
    """
    value = headers.get("Retry-After", "").strip()
    if SECONDS.fullmatch(value):  # `isdigit` accepts superscripts, which `float` does not
        return float(value)
    try:
        date = parsedate_tz(value)
        return max(0.0, mktime_tz(date) - time.time()) if date else None
    except (ValueError, OverflowError):  # the 99th of a month, the year 10000
        return None


def read_all(stream: ByteStream, limit: int) -> bytes:
    """Return the rest of the body. Raises `UpstreamError`, also if it is over `limit` bytes."""
    body = bytearray()
    while piece := stream.read():
        body += piece
        if len(body) > limit:
            raise UpstreamError("too-large")
    return bytes(body)


@contextmanager
def _translate_errors() -> Iterator[None]:
    """Turn exceptions of the HTTP libraries into `UpstreamError`."""
    try:
        yield
    except (requests.Timeout, ReadTimeoutError, TimeoutError):
        raise UpstreamError("timeout") from None
    except requests.ConnectionError as error:
        raise UpstreamError(_reason_of(error)) from None
    except (requests.RequestException, HTTPError, HTTPException, OSError):
        raise UpstreamError("cut") from None


def _reason_of(error: requests.ConnectionError) -> Reason:
    """Classify a connection error. Only if nothing was sent does urllib3 give a `reason`."""
    reason = getattr(error.args[0], "reason", None)
    if isinstance(reason, NotPublic):
        return "not-public"
    return "unreachable" if isinstance(reason, NewConnectionError | SSLError) else "unanswered"
