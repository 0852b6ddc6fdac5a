"""A server-sent events reader over bytes, for any chunk boundary and LF, CR or CRLF.

Lines are cut from bytes, never from decoded text: `str.splitlines` would also split JSON at
U+2028, and decoding chunk by chunk dies inside a character. Source: WHATWG HTML, section 9.2.6.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from service.providers.events import ProviderError

LINE_LIMIT = 16 << 20  # bytes of a line or an event; no provider sends a hundredth as much

_LINE_END = re.compile(rb"\r\n|\n|\r")


@dataclass(frozen=True, slots=True)
class ServerSentEvent:
    name: str
    data: bytes


class Reader:
    """Feed it bytes as they come; it yields the events that are whole."""

    def __init__(self) -> None:
        self._rest = b""
        self._name = b""
        self._data: list[bytes] = []
        self._begun = False
        self._size = 0  # of the event's data so far

    def feed(self, piece: bytes) -> Iterator[ServerSentEvent]:
        """Raises `ProviderError` for a line over `LINE_LIMIT`."""
        for line in self._lines(piece):
            if line:
                self._field(line)
            elif (self._data or self._name) and (event := self._take()):
                yield event

    def close(self) -> Iterator[ServerSentEvent]:
        """The event that the end of the stream left without its blank line, if any.

        The format says to drop it; but a JSON object shows by itself whether it is whole, and
        some providers do not send the last blank line. So the wire decides.
        """
        if self._rest:
            self._field(self._rest.rstrip(b"\r"))
            self._rest = b""
        if event := self._take():
            yield event

    def _lines(self, piece: bytes) -> Iterable[bytes]:
        """The lines that are whole. Hosts send LF alone, which `split` cuts at no cost."""
        buffer = self._rest + piece if self._rest else piece
        if not self._begun or b"\r" in buffer:
            return self._any_lines(buffer)
        *lines, self._rest = buffer.split(b"\n")
        self._check_rest()
        return lines

    def _any_lines(self, buffer: bytes) -> Iterator[bytes]:
        if not self._begun:
            if len(buffer) < 3 and b"\xef\xbb\xbf".startswith(buffer):
                self._rest = buffer
                return
            self._begun = True
            buffer = buffer.removeprefix(b"\xef\xbb\xbf")
        start = 0
        for end in _LINE_END.finditer(buffer):
            if end.end() == len(buffer) and end.group() == b"\r":
                break  # perhaps the first half of CRLF
            yield buffer[start : end.start()]
            start = end.end()
        self._rest = buffer[start:]
        self._check_rest()

    def _check_rest(self) -> None:
        if len(self._rest) > LINE_LIMIT:
            raise ProviderError("garbled")

    def _field(self, line: bytes) -> None:
        name, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if name == b"data":
            self._data.append(value)
            self._size += len(value) + 1
            if self._size > LINE_LIMIT:
                raise ProviderError("garbled")
        elif name == b"event":
            self._name = value

    def _take(self) -> ServerSentEvent | None:
        name, data = self._name, self._data
        self._name, self._data, self._size = b"", [], 0
        if not data:
            return None
        return ServerSentEvent(name.decode("utf-8", "replace"), b"\n".join(data))
