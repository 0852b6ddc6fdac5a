"""How far a subscriber has come: an opaque cursor that loses nothing and repeats nothing.

On PostgreSQL changes are ordered by transaction id and number, and read only below the oldest
transaction that still runs. What a snapshot of records showed beyond that is kept in the cursor
until it has been passed. SQLite has one writer at a time: there the number alone is the order.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

from service.errors import InvalidRequest
from service.records.query import open_cursor, seal_cursor


class Position(NamedTuple):
    """Of a change in the feed; positions compare as the changes are ordered."""

    xid: int
    seq: int


@dataclass(frozen=True)
class Snapshot:
    """PostgreSQL's `xmin:xmax:running`, as far as it tells which transactions were visible."""

    end: int
    running: tuple[int, ...] = ()

    def shows(self, xid: int) -> bool:
        return xid < self.end and xid not in self.running


@dataclass(frozen=True)
class Cursor:
    """Everything up to `position` is known, and what `snapshot` showed."""

    epoch: str
    position: Position
    snapshot: Snapshot | None = None

    def is_new(self, position: Position) -> bool:
        seen = self.snapshot is not None and self.snapshot.shows(position.xid)
        return position > self.position and not seen

    def passed(self, position: Position) -> "Cursor":
        """The cursor behind a later position."""
        done = self.snapshot is None or position.xid >= self.snapshot.end
        return Cursor(self.epoch, position, None if done else self.snapshot)

    def __str__(self) -> str:
        values: list[Any] = [self.epoch, *self.position]
        if self.snapshot:
            values += [self.snapshot.end, *self.snapshot.running]
        return seal_cursor(values)


def read_cursor(text: str) -> Cursor | None:
    """The cursor behind its text; None for what is none of ours."""
    try:
        epoch, *numbers = open_cursor(text)
    except (InvalidRequest, ValueError):
        return None
    if not isinstance(epoch, str) or len(numbers) < 2:
        return None
    if not all(isinstance(n, int) and 0 <= n < 2**63 for n in numbers):
        return None
    xid, seq, *snapshot = numbers
    shown = Snapshot(snapshot[0], tuple(snapshot[1:])) if snapshot else None
    return Cursor(epoch, Position(xid, seq), shown)
