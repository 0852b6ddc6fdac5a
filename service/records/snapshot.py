"""The records that a subscription begins with: read in one moment, sent piece by piece.

A snapshot has megabytes, and whoever asked for it may not read. So a worker keeps one at a time for
each user, over all their sockets: it is read when it can be sent, and each piece is gone once it is
written. Whoever waits for that holds neither rows nor a database connection.
"""

from collections import deque
from collections.abc import Iterator

from service.errors import TooLarge
from service.extensions import db
from service.json_values import encode, encoded
from service.records import changes
from service.records.cursor import Cursor
from service.records.envelope import envelope
from service.records.live import Live
from service.records.query import condition
from service.records.store import in_pieces, visible
from service.records.subscription import Subscription

SNAPSHOT_RECORDS = 5_000
SNAPSHOT_BYTES = 8 << 20
PIECE_BYTES = 256 << 10


def send(live: Live, subscription: Subscription) -> Cursor:
    """Send the records as they are; returns the cursor of that very moment.

    Needs an app context and the user's turn. Raises `TooLarge`, `Closed`.
    """
    db.session.commit()
    changes.begin_snapshot(db.session())
    cursor = changes.here(db.session())
    head = encode({"type": "snapshot", "id": subscription.id})[:-1]
    pieces = Pieces(f'{head},"records":[')
    try:
        _fill(pieces, live, subscription)
    finally:  # also before a refusal is sent, to whom it may take a while
        db.session.rollback()
    pieces.add(f'],"cursor":"{cursor}"}}'.encode())
    live.say_in_pieces(pieces.taken())
    return cursor


def _fill(pieces: "Pieces", live: Live, subscription: Subscription) -> None:
    collection, role = subscription.collection, subscription.role
    statement = visible(collection, live.caller, role, "read")
    statement = statement.where(condition(collection, subscription.where))
    statement = statement.order_by(collection.model.seq).limit(SNAPSHOT_RECORDS + 1)
    count = size = 0
    for row in in_pieces(statement, SNAPSHOT_RECORDS):
        record = encode(envelope(collection, row, role)).encode()
        encoded.spend(len(record))
        count, size = count + 1, size + len(record)
        if size > SNAPSHOT_BYTES or count > SNAPSHOT_RECORDS:
            raise TooLarge("These are too many records to subscribe to: narrow them with `where`.")
        pieces.add(b"," + record if count > 1 else record)


class Pieces:
    """A long text in its order, in pieces of at least `PIECE_BYTES`, but for the last."""

    def __init__(self, text: str) -> None:
        self._pieces: deque[bytearray] = deque([bytearray(text.encode())])

    def add(self, data: bytes) -> None:
        if len(self._pieces[-1]) >= PIECE_BYTES:
            self._pieces.append(bytearray())
        self._pieces[-1] += data

    def taken(self) -> Iterator[bytearray]:
        """Piece by piece; what was taken is not kept."""
        while self._pieces:
            yield self._pieces.popleft()
