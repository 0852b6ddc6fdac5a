"""All chunks of one running turn, in order, for readers that come later."""

from collections.abc import Iterator

from service.chat.stream.chunks import Chunk, TextDelta, TextStart


class ChunkLog:
    """Its chunks are numbered from 1.

    A text delta is kept as its string alone, which the assembly has too, so that a token costs 8
    bytes. It belongs to the text that was opened last.
    """

    def __init__(self) -> None:
        self._entries: list[Chunk | str] = []

    def __len__(self) -> int:
        return len(self._entries)

    def add(self, chunk: Chunk) -> None:
        self._entries.append(chunk.delta if type(chunk) is TextDelta else chunk)

    def after(self, number: int) -> Iterator[Chunk]:
        """The chunks behind the one of this number; all of them behind 0."""
        text_id = self._text_open_at(number)
        for entry in self._entries[number:]:
            if isinstance(entry, str):
                yield TextDelta(text_id, entry)
                continue
            if isinstance(entry, TextStart):
                text_id = entry.id
            yield entry

    def _text_open_at(self, number: int) -> str:
        for index in range(min(number, len(self)) - 1, -1, -1):
            entry = self._entries[index]
            if isinstance(entry, TextStart):
                return entry.id
        return ""
