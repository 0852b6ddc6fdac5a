"""Read a response body directly from its connection, as it arrives.

http.client and urllib3 pass a chunked body through four layers, with several reads for each chunk.
That took a third of the time of a streamed token, and 40 KB of stack and buffer. This module reads
everything that has arrived in one call and removes the framing itself.

If a server sends as fast as it can, no read ever waits. All other work of the worker would stop,
and no time limit could end the reading, so the reading pauses by itself.
Source: RFC 9112, section 7.1.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from http.client import IncompleteRead
from typing import Any

from service.fairness import WorkBudget
from service.outbound.arrivals import Arrivals, TakePiece, receiver
from service.outbound.head import ResponseHead

READ_SIZE = 65_536
SIZE_LINE_LIMIT = 4_096
# Bytes of framing beyond three times the content. More framing can only be meant to cost time.
FRAMING_LIMIT = 65_536
CACHED_LINES = 256  # short size lines that are cached
CACHED_LINE_BYTES = 8  # bytes
SIZE_LINE = re.compile(rb"[0-9a-fA-F]{1,15}[ \t]*(;.*)?", re.S)

received = WorkBudget(2 * READ_SIZE)  # bytes, of all bodies


class Dechunker:
    """Remove the framing of a chunked body. `complete` is true after the last chunk."""

    __slots__ = ("_framing", "_left", "_parse_line", "_rest", "complete")

    def __init__(self) -> None:
        self.complete = False
        self._rest = b""
        self._left = 0  # bytes of the open chunk still to come
        self._framing = FRAMING_LIMIT  # bytes of framing that may come before the next content
        self._parse_line = Dechunker._parse_size  # unbound: a bound method would form a cycle

    @property
    def is_followed(self) -> bool:
        """Whether there is data after the body."""
        return bool(self._rest)

    def feed(self, data: bytes) -> bytes:
        """Return the bytes of the body in `data`. Raises ValueError if the framing is broken."""
        size = len(data)
        data = self._rest + data if self._rest else data
        pieces, at = [], 0
        while at < len(data) and not self.complete:
            if self._left:
                pieces.append(data[at : at + self._left])
                at += len(pieces[-1])
                self._left -= len(pieces[-1])
                if not self._left and data.startswith(b"\r\n", at):  # the usual case, in one step
                    at, self._parse_line = at + 2, Dechunker._parse_size
                continue
            end = data.find(b"\r\n", at)
            if end < 0:
                break
            self._parse_line(self, data[at:end])
            at = end + 2
        self._rest = data[at:]
        if len(self._rest) > SIZE_LINE_LIMIT:
            raise ValueError("a framing line is too long")
        body = pieces[0] if len(pieces) == 1 else b"".join(pieces)
        self._framing = min(self._framing + 4 * len(body) - size, FRAMING_LIMIT)
        if self._framing < 0:
            raise ValueError("more framing lines than content")
        return body

    def _parse_size(self, line: bytes) -> None:
        self._left = _known_size_of(line) if len(line) <= CACHED_LINE_BYTES else _size_of(line)
        self._parse_line = Dechunker._parse_end_of_chunk if self._left else Dechunker._parse_trailer

    def _parse_end_of_chunk(self, line: bytes) -> None:
        if line:
            raise ValueError("a chunk is longer than its size")
        self._parse_line = Dechunker._parse_size

    def _parse_trailer(self, line: bytes) -> None:
        self.complete = not line


def _size_of(line: bytes) -> int:
    if not SIZE_LINE.fullmatch(line):
        raise ValueError("not a chunk size")
    return int(line.partition(b";")[0], 16)


_known_size_of = lru_cache(CACHED_LINES)(_size_of)


class ResponseBody:
    """The body of a response whose head has been read.

    `ahead` are the bytes that were read together with the head. `complete` is true when the whole
    body has been read, and `is_followed` if more than that has arrived.
    """

    __slots__ = (
        "_ahead",
        "_dechunker",
        "_left",
        "_parked",
        "_receive",
        "_socket",
        "complete",
        "is_followed",
    )

    def __init__(self, sock: Any, head: ResponseHead, ahead: bytes) -> None:
        self._socket, self._ahead = sock, ahead
        self._receive: Callable[[], bytes] | None = None
        self._dechunker = Dechunker() if head.chunked else None
        self._left = head.length  # None: the body lasts until the connection ends
        self.complete = self._left == 0
        self.is_followed = self.complete and bool(ahead)
        self._parked: Arrivals | None = None

    def park(self, take: TakePiece) -> Arrivals | None:
        """Offer the bytes that arrive from now on to `take`, without a greenlet.

        The next `read` returns the bytes that `take` refuses. Returns None if there already is
        something to read.
        """
        if self._ahead or self.complete:
            return None
        self._parked = self._arrivals(take)
        return self._parked

    def leave(self) -> None:
        """Stop reading from the connection."""
        if self._parked:
            self._parked.stop()
            self._parked = None

    def read(self, take: TakePiece | None = None) -> bytes:
        """Return at least one byte, or b"" at the end.

        Bytes that arrive meanwhile are offered to `take` in the event loop, and are not returned if
        it takes them. The timeout of the socket does not apply then. Raises OSError, and
        IncompleteRead if the connection ends before the body does.
        """
        if self._parked:
            parked, self._parked = self._parked, None
            if body := parked.result():
                return body
        elif take and not self._ahead and not self.complete and (body := self._offer(take)):
            return body
        while not self.complete:
            data, self._ahead = self._ahead or self._receive_some(), b""
            if not data:
                return self._end_of_connection()
            if body := self.decode(data):
                return body
        return b""

    def _receive_some(self) -> bytes:
        data: bytes = self._socket.recv(READ_SIZE)
        received.spend(len(data))
        return data

    def _offer(self, take: TakePiece) -> bytes:
        """Return refused bytes, or b"" at the end, or if the caller must read the connection."""
        return self._arrivals(take).wait()

    def _arrivals(self, take: TakePiece) -> Arrivals:
        if self._receive is None:
            self._receive = receiver(self._socket)
        return Arrivals(self, self._receive, take, self._socket.fileno())

    def decode(self, data: bytes) -> bytes:
        """Remove the framing. Raises IncompleteRead if it is broken."""
        if self._dechunker:
            try:
                data = self._dechunker.feed(data)
            except ValueError:
                raise IncompleteRead(b"") from None
            self.complete = self._dechunker.complete
            self.is_followed = self.complete and self._dechunker.is_followed
        elif self._left is not None:
            self.is_followed = len(data) > self._left
            data = data[: self._left]
            self._left -= len(data)
            self.complete = self._left == 0
        return data

    def _end_of_connection(self) -> bytes:
        """End the body with its connection, which is an error if its length was declared."""
        if self._dechunker or self._left:
            raise IncompleteRead(b"")
        self.complete = True
        return b""
