"""All chunks of one running turn, in order, for readers that come later."""

from collections.abc import Callable, Iterator

from service.chat.stream.chunks import Chunk, TextDelta, TextStart
from service.generation.arriving_text import ArrivingText


class _Deltas:
    """Consecutive text deltas: `count` pieces of the text, starting at piece `first`."""

    __slots__ = ("count", "first", "text", "text_id")

    def __init__(self, text_id: str, text: ArrivingText, first: int) -> None:
        self.text_id, self.text, self.first, self.count = text_id, text, first, 1


class ChunkLog:
    """The chunks of one turn, numbered from 1.

    Text deltas are stored only as a count: `open_text` finds their text, which the assembly has.
    """

    __slots__ = ("_count", "_entries", "_open_text")

    def __init__(self, open_text: Callable[[str], ArrivingText]) -> None:
        self._open_text = open_text
        self._entries: list[Chunk | _Deltas] = []
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def add(self, chunk: Chunk) -> None:
        self._count += 1
        if type(chunk) is not TextDelta:
            self._entries.append(chunk)
            return
        last = self._entries[-1]
        if type(last) is _Deltas and last.text_id == chunk.id:
            last.count += 1
        else:
            before = self._deltas_of(chunk.id)
            self._entries.append(_Deltas(chunk.id, self._open_text(chunk.id), before))

    def _deltas_of(self, text_id: str) -> int:
        """Return how many deltas of a text the log has. All come after the text's start."""
        count = 0
        for entry in reversed(self._entries):
            if isinstance(entry, TextStart) and entry.id == text_id:
                break
            if isinstance(entry, _Deltas) and entry.text_id == text_id:
                count += entry.count
        return count

    def after(self, number: int) -> Iterator[Chunk]:
        """Yield the chunks after the one with this number; 0 means all."""
        at = 0
        for entry in self._entries:
            count = entry.count if isinstance(entry, _Deltas) else 1
            at, skipped = at + count, max(0, number - at)
            if skipped >= count:
                continue
            if isinstance(entry, _Deltas):
                for piece in entry.text.pieces(entry.first + skipped, entry.first + count):
                    yield TextDelta(entry.text_id, piece)
            else:
                yield entry
