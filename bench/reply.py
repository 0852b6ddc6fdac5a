"""A streamed reply, decoded and checked as it arrives, in one of two formats.

The formats are the UI message stream of the service and the relays, and the Anthropic stream of
the upstream. In both, text deltas are JSON strings in `data:` lines.
"""

import json
import socket
from array import array

from bench.wire import SEPARATORS, TOKEN, Chunked

ENDINGS = ("message_stop", "error", "abort")


class StreamedReply:
    """`fault` describes what is wrong, or is None; times are in microseconds."""

    __slots__ = ("_body", "_head", "_rest", "_text", "began", "count", "ended", "fault", "first",
                 "longest", "request", "sock", "tokens")  # fmt: skip

    def __init__(self, sock: socket.socket, request: str, tokens: int, began: int) -> None:
        self.sock = sock
        self.request = request.encode()
        self.tokens = tokens
        self.began = began
        self.first = 0  # until the first token
        self.longest = 0  # transit of any token
        self.count = 0
        self.ended = False
        self.fault: str | None = None
        self._head = b""
        self._body: Chunked | None = None
        self._rest = b""
        self._text = ""

    def feed(self, data: bytes, now: int, transits: array) -> None:
        """Read `data`; append the transit time of each token to `transits`."""
        if self._body is None:
            data = self._begin(data)
            if self._body is None:
                return
        *events, self._rest = (self._rest + self._body.feed(data)).split(b"\n\n")
        for event in events:
            self._take(event.rpartition(b"data: ")[2], now, transits)

    def close(self) -> None:
        """Check that the reply is complete; call it when the connection has ended."""
        if not self.ended:
            self._fail(f"cut after {self.count} tokens")
        elif self.count != self.tokens:
            self._fail(f"{self.count} of {self.tokens} tokens")

    def _begin(self, data: bytes) -> bytes:
        self._head += data
        head, separator, rest = self._head.partition(b"\r\n\r\n")
        if not separator:
            return b""
        if not head.startswith(b"HTTP/1.1 200 ") or b"chunked" not in head.lower():
            self._fail(self._head[:300].decode("latin-1"))
            self.ended = True
            return b""
        self._body = Chunked()
        return rest

    def _take(self, data: bytes, now: int, transits: array) -> None:
        if data == b"[DONE]":
            self.ended = True
        if not data.startswith(b"{"):
            return
        body = json.loads(data)
        if body["type"] == "text-delta":
            self._read(body["delta"], now, transits)
        elif body["type"] == "content_block_delta":
            self._read(body["delta"]["text"], now, transits)
        elif body["type"] in ENDINGS:
            self.ended = True
            if body["type"] != "message_stop":
                self._fail(data.decode())

    def _read(self, text: str, now: int, transits: array) -> None:
        text = self._text + text
        end = 0
        for match in TOKEN.finditer(text):
            index, sent, separator = match.groups()
            if int(index) != self.count or separator != SEPARATORS[self.count % 4]:
                self._fail(f"token {index} in place {self.count}")
            transits.append(now - int(sent, 36))
            self.longest = max(self.longest, transits[-1])
            self.count += 1
            end = match.end()
        self._text = text[end:]
        self.first = self.first or now

    def _fail(self, why: str) -> None:
        self.fault = self.fault or why
