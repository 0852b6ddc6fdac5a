"""The short way for text: nearly all pieces of an answer have nothing else.

The events of one answer mostly differ in their text alone. So the first one is parsed, and of the
others only what stands between the same bytes: a JSON string.
"""

import json

from service.providers import sse
from service.providers.provider import Decoder
from service.storable import make_storable

HEADS = (b"", b"event: content_block_delta\n")  # of provider B or C, and of A
# Of an answer: some hosts send other bytes each time, and learning takes longer than parsing.
LESSONS = 3
LESSON_LIMIT = 1000  # bytes of an event

# Strict, as by default: it refuses a line break inside a string.
_value_at = json.JSONDecoder().raw_decode


class TextReader:
    """Reads pieces past the reader of the events and the decoder, and changes neither."""

    __slots__ = ("_before", "_behind", "_decoder", "_events", "_lessons")

    def __init__(self, events: sse.EventReader, decoder: Decoder) -> None:
        self._events, self._decoder = events, decoder
        self._lessons = LESSONS
        # What stands around a text. `_before` ends in its first quote, and `_behind` has a "}".
        self._before = self._behind = b""

    def texts(self, piece: bytes) -> list[str] | None:
        """The texts of a piece that consists of whole events with nothing but text; else None.

        `decode` reads any other piece, and any that is in an unusual form.
        """
        if not piece.endswith(b"\n\n") or not self._events.is_between_events:
            return None
        texts = []
        for event in piece[:-2].split(b"\n\n"):
            text = self._between(event) or self._parsed(event)
            if not text:
                return None
            texts.append(text)
        return texts

    def _between(self, event: bytes) -> str | None:
        """The text between the known bytes; None where there is anything else."""
        before, behind = self._before, self._behind
        if not before or not event.startswith(before) or not event.endswith(behind):
            return None
        try:
            quoted = event[len(before) - 1 : -len(behind)].decode()
            text, end = _value_at(quoted)
        except ValueError:
            return None
        return make_storable(text) if end == len(quoted) else None

    def _parsed(self, event: bytes) -> str | None:
        head, _, data = event.partition(b"data: ")
        if head not in HEADS or b"\n" in data or b"\r" in data:
            return None
        text = self._decoder.text(data)
        if text and self._lessons and len(event) <= LESSON_LIMIT:
            self._lessons -= 1
            self._learn(event[: -len(data)], data.decode(), text)
        return text

    def _learn(self, head: bytes, data: str, text: str) -> None:
        """Try each string, from the last on, until another one in its place is the text."""
        other = f"{text}."
        opening = len(data)
        while (opening := data.rfind('"', 0, opening)) >= 0:
            try:
                _, end = _value_at(data, opening)
            except ValueError:
                continue  # it closes a string, or is a part of one
            before, behind = data[:opening], data[end:]
            if self._decoder.text(f"{before}{json.dumps(other)}{behind}".encode()) == other:
                self._before, self._behind = head + f'{before}"'.encode(), behind.encode()
                return
