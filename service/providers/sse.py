"""A reader of server-sent events from bytes, for any chunk boundary and LF, CR or CRLF.

Lines are split as bytes, never as decoded text: `str.splitlines` would also split JSON at U+2028,
and decoding chunk by chunk fails inside a character. Source: WHATWG HTML, section 9.2.6.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from service.providers.events import ProviderError

LINE_LIMIT = 16 << 20  # bytes of a line or an event: 100 times as many as providers send

_MARK = b"\xef\xbb\xbf"  # the byte order mark, with which a stream may begin
_LINE_END = re.compile(rb"\r\n|\n|\r")


@dataclass(slots=True)  # not frozen, which would need a call for each field
class ServerSentEvent:
    name: str
    data: bytes


class EventReader:
    """Takes bytes as they arrive, and yields the complete events.

    The pieces of a line are joined once, at its end, so that a line in a thousand pieces costs no
    more than a line in one piece.
    """

    __slots__ = ("_begun", "_data", "_name", "_pending", "_pending_size", "_size")

    def __init__(self) -> None:
        self._pending: list[bytes] = []  # pieces of the unfinished line
        self._pending_size = 0
        self._name = b""
        self._data: list[bytes] = []
        self._begun = False
        self._size = 0  # of the event's data so far

    @property
    def is_between_events(self) -> bool:
        """Whether the next byte begins an event."""
        return self._begun and not (self._pending or self._data or self._name)

    def feed(self, piece: bytes) -> Iterator[ServerSentEvent]:
        """Yield the events that a piece completes.

        Raises `ProviderError` for a line over `LINE_LIMIT`.
        """
        for line in self._lines(piece):
            if line.startswith(b"event: "):
                self._name = line[7:]
            elif line:
                self._field(line)
            elif (self._data or self._name) and (event := self._take()):
                yield event

    def close(self) -> Iterator[ServerSentEvent]:
        """Yield the last event, if the stream ended without the blank line after it.

        The format says to drop this event. But some providers do not send the last blank line, and
        a JSON object shows whether it is complete. So the wire decides.
        """
        if rest := self._take_pending():
            self._field(rest.rstrip(b"\r"))
        if event := self._take():
            yield event

    def _lines(self, piece: bytes) -> Iterable[bytes]:
        """Return the complete lines. Most hosts send only LF, which `split` handles fast."""
        if not self._begun:
            piece = self._take_pending() + piece
            if len(piece) < len(_MARK) and _MARK.startswith(piece):
                self._keep(piece)
                return ()
            self._begun = True
            piece = piece.removeprefix(_MARK)
        if b"\r" in piece or (self._pending and self._pending[-1].endswith(b"\r")):
            return self._any_lines(self._take_pending() + piece)
        first, *more = piece.split(b"\n")
        self._keep(first)
        if not more:
            return ()
        *lines, rest = more
        whole = self._take_pending()
        self._keep(rest)
        return (whole, *lines)

    def _any_lines(self, buffer: bytes) -> Iterator[bytes]:
        start = 0
        for end in _LINE_END.finditer(buffer):
            if end.end() == len(buffer) and end.group() == b"\r":
                break  # perhaps the first half of CRLF
            yield buffer[start : end.start()]
            start = end.end()
        self._keep(buffer[start:])

    def _keep(self, piece: bytes) -> None:
        if piece:
            self._pending.append(piece)
            self._pending_size += len(piece)
        if self._pending_size > LINE_LIMIT:
            raise ProviderError("garbled")

    def _take_pending(self) -> bytes:
        """Return the pending pieces, joined, and clear them."""
        pieces, self._pending, self._pending_size = self._pending, [], 0
        return b"".join(pieces)

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
