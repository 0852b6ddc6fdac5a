"""Cursors: an opaque place in the feed, where a subscriber resumes without losses or repetitions.

On PostgreSQL changes are ordered by transaction id and number, and only those below the oldest
running transaction are read. A snapshot of the records may include later changes; the cursor lists
them until the feed has passed them. On SQLite, with its one writer at a time, changes are ordered
by number alone.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

from service.records.query import decode_cursor, encode_cursor
from service.web.errors import InvalidRequest

RUNNING = 200  # transactions in a cursor: every change is compared with them until it is past


class Position(NamedTuple):
    """The position of a change in the feed. Positions compare in the order of the feed."""

    xid: int
    seq: int


@dataclass(frozen=True)
class Snapshot:
    """The transactions that were visible to a snapshot of PostgreSQL.

    `end` is its `xmax`, and `running` are the ids of transactions that had not ended.
    """

    end: int
    running: tuple[int, ...] = ()

    def includes(self, xid: int) -> bool:
        return xid < self.end and xid not in self.running


@dataclass(frozen=True)
class Cursor:
    """The place of a subscriber: it has all changes up to `position` and those in `snapshot`.

    `view` identifies the records and columns that it could see so far (`Subscription.view`).
    """

    epoch: str
    position: Position
    snapshot: Snapshot | None = None
    view: str = ""

    def is_new(self, position: Position) -> bool:
        in_snapshot = self.snapshot is not None and self.snapshot.includes(position.xid)
        return position > self.position and not in_snapshot

    def advance(self, position: Position) -> "Cursor":
        """Return the cursor after a later position."""
        is_past = self.snapshot is None or position.xid >= self.snapshot.end
        return Cursor(self.epoch, position, None if is_past else self.snapshot, self.view)

    def __str__(self) -> str:
        values: list[Any] = [self.epoch, self.view, *self.position]
        if self.snapshot:
            values += [self.snapshot.end, *self.snapshot.running]
        return encode_cursor(values)


def read_cursor(text: str) -> Cursor | None:
    """Parse the text of a cursor. Returns None if it is invalid, or lists too many transactions."""
    try:
        epoch, view, *numbers = decode_cursor(text)
    except (InvalidRequest, ValueError):
        return None
    if not isinstance(epoch, str) or not isinstance(view, str):
        return None
    if not 2 <= len(numbers) <= 3 + RUNNING:
        return None
    if not all(isinstance(n, int) and 0 <= n < 2**63 for n in numbers):
        return None
    xid, seq, *rest = numbers
    snapshot = Snapshot(rest[0], tuple(rest[1:])) if rest else None
    return Cursor(epoch, Position(xid, seq), snapshot, view)
