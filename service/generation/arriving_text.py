"""A text that arrives in pieces."""

from array import array
from collections.abc import Iterator


class ArrivingText:
    """The pieces of a text, stored in a quarter of the memory that strings would need."""

    __slots__ = ("_bytes", "_ends")

    def __init__(self) -> None:
        self._bytes = bytearray()
        self._ends = array("I")  # the end of each piece, in bytes

    def __bool__(self) -> bool:
        """Whether the text is not empty."""
        return bool(self._bytes)

    def __str__(self) -> str:
        return self._bytes.decode()

    def append(self, piece: str) -> None:
        self._bytes += piece.encode()
        self._ends.append(len(self._bytes))

    def pieces(self, first: int, end: int) -> Iterator[str]:
        """Yield the pieces from the number `first`, counted from 0, up to but without `end`."""
        at = self._ends[first - 1] if first else 0
        for until in self._ends[first:end]:
            yield self._bytes[at:until].decode()
            at = until
