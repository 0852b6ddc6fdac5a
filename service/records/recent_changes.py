"""Keep the newest changes in the memory of a worker, for all its subscribers."""

from bisect import bisect_right
from collections.abc import Iterable

from service.records.changes import Change
from service.records.cursor import Position
from service.records.pages import PAGE

WINDOW_CHANGES = 2_000
WINDOW_BYTES = 8 << 20
CHANGE_BYTES = 500  # memory of a change without its envelopes


class Window:
    """The newest changes in memory: all changes after `floor`."""

    def __init__(self, floor: Position) -> None:
        self.floor = self.tail = floor
        self._changes: list[Change] = []
        self._sizes: list[int] = []
        self._size = 0  # the sum of the sizes

    def extend(self, new: Iterable[Change]) -> None:
        for change in new:
            size = CHANGE_BYTES + change.size
            self._changes.append(change)
            self._sizes.append(size)
            self._size += size
            self.tail = change.position
        if len(self._changes) > WINDOW_CHANGES or self._size > WINDOW_BYTES:
            self._shrink()

    def after(self, place: Position) -> list[Change] | None:
        """Return the changes after a place, or None if the window does not hold all of them."""
        if place < self.floor:
            return None
        start = bisect_right(self._changes, place, key=lambda change: change.position)
        return self._changes[start : start + PAGE]

    def _shrink(self) -> None:
        """Drop the oldest changes, down to half of each limit."""
        count = size = 0
        for bytes_ in reversed(self._sizes):
            size += bytes_
            if count >= WINDOW_CHANGES // 2 or size > WINDOW_BYTES // 2:
                break
            count += 1
        start = len(self._changes) - count
        self.floor = self._changes[start - 1].position
        del self._changes[:start], self._sizes[:start]
        self._size = sum(self._sizes)
