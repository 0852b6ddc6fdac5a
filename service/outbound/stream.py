"""A response whose body is arriving, and what may go wrong with it."""

from collections.abc import Mapping
from http.client import HTTPException
from types import MappingProxyType
from typing import Literal, Protocol

import gevent
import structlog
from gevent.pool import Group

from service.outbound.arrivals import Arrivals, TakePiece
from service.outbound.exchange import HttpExchange
from service.outbound.head import ResponseHead

DRAIN_SECONDS = 2.0  # for the end of a body whose content is complete
DRAIN_BYTES = 65_536
NO_HEADERS: Mapping[str, str] = MappingProxyType({})

log = structlog.get_logger("upstream")

# A request that is `unreachable` or `not-public` was not sent. An `unanswered` one may have been.
Reason = Literal["unreachable", "unanswered", "timeout", "cut", "too-large", "not-public"]


class UpstreamError(Exception):
    """An upstream gave no usable answer. `reason` is the kind of failure. `cause`, for operators,
    is the type of the underlying error."""

    def __init__(self, reason: Reason, cause: str | None = None) -> None:
        super().__init__(reason)
        self.reason, self.cause = reason, cause


class ByteStream(Protocol):
    """A response whose body is arriving."""

    status: int
    headers: Mapping[str, str]

    def drop_headers(self) -> None:
        """Forget the headers, of which some servers send kilobytes, while the body arrives."""

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

    def __init__(self, exchange: HttpExchange, head: ResponseHead, drains: Group) -> None:
        self._exchange, self._drains = exchange, drains
        self._broken = self._finished = False
        self._body = exchange.body
        self.status = head.status
        self.headers: Mapping[str, str] = head.headers

    def drop_headers(self) -> None:
        self.headers = NO_HEADERS

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


def read_all(stream: ByteStream, limit: int) -> bytes:
    """Return the rest of the body. Raises `UpstreamError`, also if it is over `limit` bytes."""
    body = bytearray()
    while piece := stream.read():
        body += piece
        if len(body) > limit:
            raise UpstreamError("too-large")
    return bytes(body)
