"""A fast path for text, because nearly all pieces of an answer are only text.

The events of one answer mostly differ only in their text. So the first event is parsed completely.
Of the others only the JSON string between the same bytes is parsed.
"""

import json

from service.providers import sse
from service.providers.provider import Decoder
from service.storable import is_storable

HEADS = (b"", b"event: content_block_delta\n")  # of provider B or C, and of A
# For each answer: some hosts send other bytes each time, and learning is slower than parsing.
LESSONS = 3
LESSON_LIMIT = 1000  # bytes of an event

# Strict, as by default: it refuses a line break inside a string.
_value_at = json.JSONDecoder().raw_decode


class TextReader:
    """Reads pieces without the event reader and the decoder, and changes neither."""

    __slots__ = ("_before", "_behind", "_decoder", "_events", "_lessons")

    def __init__(self, events: sse.EventReader, decoder: Decoder) -> None:
        self._events, self._decoder = events, decoder
        self._lessons = LESSONS
        # The bytes around a text. `_before` ends with its first quote, and `_behind` has a "}".
        self._before = self._behind = b""

    def texts(self, piece: bytes) -> list[str] | None:
        """Return the texts of a piece of complete events that have nothing but text; else None.

        `decode` reads any other piece, and pieces in an unusual form.
        """
        if not piece.endswith(b"\n\n") or not self._events.is_between_events:
            return None
        if self._decoder.has_half:
            return None
        texts = []
        for event in piece[:-2].split(b"\n\n"):
            text = self._between(event) or self._parsed(event)
            if not text:
                return None
            texts.append(text)
        return texts

    def _between(self, event: bytes) -> str | None:
        """Return the text between the known bytes; None if anything else is there."""
        before, behind = self._before, self._behind
        if not before or not event.startswith(before) or not event.endswith(behind):
            return None
        try:
            quoted = event[len(before) - 1 : -len(behind)].decode()
            text, end = _value_at(quoted)
        except ValueError:
            return None
        return text if end == len(quoted) and is_storable(text) else None

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
        """Find the string that is the text, and store the bytes around it.

        Each string is tried, from the last one: if another string in its place becomes the text, it
        is found.
        """
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
