"""A response body straight from its connection, as it arrives.

http.client and urllib3 read a chunked body through four layers and several reads a chunk, which
was a third of what a streamed token cost. Here one read of the connection gives all that is there,
and the framing is taken off the bytes. Source: RFC 9112, section 7.1.
"""

import re
from collections.abc import Callable
from http.client import HTTPResponse, IncompleteRead
from typing import Any

READ_SIZE = 65_536
SIZE_LINE_LIMIT = 4_096
SIZE = re.compile(rb"[0-9a-fA-F]{1,15}[ \t]*(;.*)?", re.S)


class Dechunker:
    """Takes the chunked framing off; `whole` once the last chunk has come."""

    def __init__(self) -> None:
        self.whole = False
        self._rest = b""
        self._left = 0  # bytes of the open chunk still to come
        self._line: Callable[[bytes], None] = self._size

    def feed(self, data: bytes) -> bytes:
        """The body's bytes in `data`; raises ValueError for broken framing."""
        data = self._rest + data if self._rest else data
        pieces, at = [], 0
        while at < len(data) and not self.whole:
            if self._left:
                pieces.append(data[at : at + self._left])
                at += len(pieces[-1])
                self._left -= len(pieces[-1])
                if not self._left and data.startswith(b"\r\n", at):  # the usual case, in one step
                    at, self._line = at + 2, self._size
                continue
            end = data.find(b"\r\n", at)
            if end < 0:
                break
            self._line(data[at:end])
            at = end + 2
        self._rest = data[at:]
        if len(self._rest) > SIZE_LINE_LIMIT:
            raise ValueError("a line without end")
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def _size(self, line: bytes) -> None:
        if not SIZE.fullmatch(line):
            raise ValueError("not a chunk size")
        self._left = int(line.partition(b";")[0], 16)
        self._line = self._after_data if self._left else self._trailer

    def _after_data(self, line: bytes) -> None:
        if line:
            raise ValueError("a chunk longer than its size")
        self._line = self._size

    def _trailer(self, line: bytes) -> None:
        self.whole = not line


class Body:
    """The body behind a urllib3 response whose headers have been read."""

    def __init__(self, raw: Any) -> None:
        self._raw = raw
        self._http: HTTPResponse = raw._fp
        self._dechunker = Dechunker() if self._http.chunked else None
        self._left = self._http.length  # None: up to the end of the connection
        self._buffer: Any = self._http.fp  # None once the socket itself is read
        self._socket = self._http.fp.raw._sock if self._http.fp else None  # type: ignore[attr-defined]
        self.whole = self._http.fp is None or self._left == 0

    def read(self) -> bytes:
        """At least one byte, or b"" at the end. Raises OSError, and IncompleteRead for a cut."""
        while not self.whole:
            data = self._receive()
            if not data:
                return self._ended()
            if body := self._taken(data):
                return body
        return b""

    def _receive(self) -> bytes:
        """From the socket itself, once http.client's buffer has given what it had read ahead: its
        layers cost a held stream 40 KB of stack and buffer."""
        if self._buffer is None:
            return self._socket.recv(READ_SIZE)
        buffer, self._buffer = self._buffer, None
        ahead = buffer.read(len(buffer.peek()))
        self._http.fp = buffer.detach()
        return ahead

    def give_back(self) -> None:
        """Put the connection of a whole body back into its pool."""
        reusable = self._dechunker or self._http.length is not None
        self._http.close()
        if reusable and not self._http.will_close:
            self._raw.release_conn()
        else:
            self._raw.close()

    def _taken(self, data: bytes) -> bytes:
        if self._dechunker:
            try:
                data = self._dechunker.feed(data)
            except ValueError:
                raise IncompleteRead(b"") from None
            self.whole = self._dechunker.whole
        elif self._left is not None:
            data = data[: self._left]
            self._left -= len(data)
            self.whole = self._left == 0
        return data

    def _ended(self) -> bytes:
        """The connection has ended: the end of the body, if nothing else tells its length."""
        if self._dechunker or self._left:
            raise IncompleteRead(b"")
        self.whole = True
        return b""
