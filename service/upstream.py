"""The only maker of outbound requests: one pooled session for each worker.

Redirects are never followed, the environment's proxies and netrc are not read, and foreign
exceptions become `UpstreamError` here.
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

from service.body import Body
from service.connecting import Adapter
from service.guarded import GuardedAdapter, NotPublic
from service.observe import UPSTREAM_CALLS

POOLED_CONNECTIONS = 100
READ_ON_SECONDS = 2.0  # for the end of a body whose content is complete
READ_ON_BYTES = 65_536
USER_AGENT = "chat-integration-service/0.1.0"  # name and version as in setup.cfg

SECONDS = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9})?")  # some hosts send fractions

log = structlog.get_logger("upstream")

# `unreachable` and `not-public` requests were never sent; `unanswered` ones may have been.
Reason = Literal["unreachable", "unanswered", "timeout", "cut", "too-large", "not-public"]


class UpstreamError(Exception):
    """An upstream gave no usable answer; `reason` says how it failed."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True)
class Outbound:
    """One request; `name` is the upstream's word in logs.

    `connect`, `idle` (of one read) and `whole` (from the look-up of the name to the last read) are
    seconds. `idle` is None where something else bounds every read: a timer less a token. A
    `guarded` request has a URL that a user of ours has given: only public addresses are called.
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
    """A response whose body is still arriving."""

    status: int
    headers: Mapping[str, str]

    def read(self) -> bytes:
        """What has arrived, at least one byte; b"" at the end. Raises `UpstreamError`."""

    def finish(self) -> None:
        """Declare that no more of the body is needed; its end should be near."""

    def close(self) -> None: ...


class PooledStream:
    """A `ByteStream` over a pooled connection, which goes back to the pool if read to its end.

    `reading_on` are the greenlets that read the ends of bodies.
    """

    def __init__(self, response: requests.Response, reading_on: Group) -> None:
        self._response, self._reading_on = response, reading_on
        self._broken = self._finished = False
        self._body = Body(response.raw)
        self.status = response.status_code
        self.headers: Mapping[str, str] = response.headers

    def read(self) -> bytes:
        try:  # plainer than `_translated`, because it is called for every token
            return self._body.read()
        except TimeoutError:
            self._broken = True
            raise UpstreamError("timeout") from None
        except (HTTPException, OSError):
            self._broken = True
            raise UpstreamError("cut") from None

    def finish(self) -> None:
        """Read the end in the background, and give the connection back.

        A provider's last event comes a moment before the end of its body. Without that end the
        connection would be lost, and the next step would wait for a new one: TCP, then TLS.
        """
        if not self._broken and not self._body.whole:
            self._finished = True
            self._reading_on.spawn(self._read_on)
            gevent.sleep(0)  # reads at once what has arrived

    def close(self) -> None:
        if not self._finished:
            self._end()

    def _read_on(self) -> None:
        left = READ_ON_BYTES
        try:
            with gevent.Timeout(READ_ON_SECONDS, False):
                while left > 0 and (data := self._body.read()):
                    left -= len(data)
        except (HTTPException, OSError) as error:
            log.debug("no end", error=type(error).__name__)
        finally:
            self._end()

    def _end(self) -> None:
        if self._body.whole:
            self._body.give_back()
        else:
            self._response.raw.close()


class Upstream:
    """Makes outbound requests over one connection pool."""

    def __init__(self) -> None:
        self._session = requests.Session()
        self._session.trust_env = False
        adapter = Adapter(pool_connections=32, pool_maxsize=POOLED_CONNECTIONS)
        self._session.mount("https://", adapter)
        self._session.mount("http://", adapter)
        self._guarded = GuardedAdapter(pool_maxsize=POOLED_CONNECTIONS)
        self._reading_on = Group()

    @contextmanager
    def open(self, outbound: Outbound) -> Iterator[ByteStream]:
        """The response as soon as its headers are there; closed on leaving.

        Raises `UpstreamError`. A body read to its end leaves the connection in the pool.
        """
        outcome = "failed"
        stream = None
        limit = gevent.Timeout.start_new(outbound.whole)
        try:
            with _translated():
                stream = PooledStream(self._send(outbound), self._reading_on)
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
        """Status and whole body, of at most `limit` bytes. Raises `UpstreamError`."""
        with self.open(outbound) as stream:
            return stream.status, read_all(stream, limit)

    def close(self) -> None:
        """Close the pooled connections, also those whose last body is still being read."""
        self._reading_on.kill()
        self._session.close()
        self._guarded.close()

    def _send(self, outbound: Outbound) -> requests.Response:
        """Through the adapter: a session's cookies, hooks and redirects are not wanted."""
        ours = {"Accept-Encoding": "identity", "User-Agent": USER_AGENT}
        headers: dict[str, Any] = {**ours, **outbound.headers}
        request = requests.Request(outbound.method, outbound.url, headers, data=outbound.body)
        guarded, url = self._guarded, outbound.url
        adapter = guarded if outbound.guarded else self._session.get_adapter(url)
        timeout = (outbound.connect, outbound.idle)
        return adapter.send(request.prepare(), stream=True, timeout=timeout)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """The seconds of a `Retry-After`, from its number or its date; None without either.

    At least 0: a date may have passed. Source: RFC 9110, section 10.2.3.
    """
    value = headers.get("Retry-After", "").strip()
    if SECONDS.fullmatch(value):  # `isdigit` would let a superscript through, and `float` fails
        return float(value)
    try:
        date = parsedate_tz(value)
        return max(0.0, mktime_tz(date) - time.time()) if date else None
    except (ValueError, OverflowError):  # the 99th of a month, the year 10000
        return None


def read_all(stream: ByteStream, limit: int) -> bytes:
    """The rest of the body; raises `UpstreamError` when it is over `limit` bytes."""
    body = bytearray()
    while piece := stream.read():
        body += piece
        if len(body) > limit:
            raise UpstreamError("too-large")
    return bytes(body)


@contextmanager
def _translated() -> Iterator[None]:
    """Foreign exceptions become ours in this one place."""
    try:
        yield
    except (requests.Timeout, ReadTimeoutError, TimeoutError):
        raise UpstreamError("timeout") from None
    except requests.ConnectionError as error:
        raise UpstreamError(_unconnected(error)) from None
    except (requests.RequestException, HTTPError, HTTPException, OSError):
        raise UpstreamError("cut") from None


def _unconnected(error: requests.ConnectionError) -> Reason:
    """urllib3 gives its reason where it has sent nothing; else the connection broke under it."""
    reason = getattr(error.args[0], "reason", None)
    if isinstance(reason, NotPublic):
        return "not-public"
    return "unreachable" if isinstance(reason, NewConnectionError | SSLError) else "unanswered"
