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
    """Feed it bytes as they come; it yields the events that are whole.

    The pieces of a line are joined once, when its end has come: a line in a thousand pieces costs
    no more than a line in one.
    """

    def __init__(self) -> None:
        self._held: list[bytes] = []  # pieces of the unfinished line
        self._held_size = 0
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
        if rest := self._released():
            self._field(rest.rstrip(b"\r"))
        if event := self._take():
            yield event

    def _lines(self, piece: bytes) -> Iterable[bytes]:
        """The lines that are whole. Hosts send LF alone, which `split` cuts at no cost."""
        if not self._begun or b"\r" in piece or (self._held and self._held[-1].endswith(b"\r")):
            return self._any_lines(self._released() + piece)
        first, *more = piece.split(b"\n")
        self._hold(first)
        if not more:
            return ()
        *lines, rest = more
        whole = self._released()
        self._hold(rest)
        return (whole, *lines)

    def _any_lines(self, buffer: bytes) -> Iterator[bytes]:
        if not self._begun:
            if len(buffer) < 3 and b"\xef\xbb\xbf".startswith(buffer):
                self._hold(buffer)
                return
            self._begun = True
            buffer = buffer.removeprefix(b"\xef\xbb\xbf")
        start = 0
        for end in _LINE_END.finditer(buffer):
            if end.end() == len(buffer) and end.group() == b"\r":
                break  # perhaps the first half of CRLF
            yield buffer[start : end.start()]
            start = end.end()
        self._hold(buffer[start:])

    def _hold(self, piece: bytes) -> None:
        if piece:
            self._held.append(piece)
            self._held_size += len(piece)
        if self._held_size > LINE_LIMIT:
            raise ProviderError("garbled")

    def _released(self) -> bytes:
        """Join the held pieces, and hold nothing."""
        held, self._held, self._held_size = self._held, [], 0
        return b"".join(held)

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
