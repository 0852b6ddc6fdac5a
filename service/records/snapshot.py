"""The records that a subscription begins with: read in one moment, sent piece by piece.

A snapshot has megabytes, and its client may not read. So a worker has one at a time for each user,
over all the user's sockets. It is read from the database when it can be sent, and each piece is
freed once it is written. A subscription that waits holds neither rows nor a database connection.
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
    """Send the records as they are at one moment; returns the cursor of that moment.

    Needs an app context, within `live.turn()`. Raises `TooLarge`, `Closed`.
    """
    db.session.commit()
    changes.begin_snapshot(db.session())
    cursor = changes.here(db.session())
    head = encode({"type": "snapshot", "id": subscription.id})[:-1]
    pieces = Pieces(f'{head},"records":[')
    try:
        _fill(pieces, live, subscription)
    finally:  # also before a refusal, which may take long to send
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
    """A long text in pieces of at least `PIECE_BYTES`, except the last."""

    def __init__(self, text: str) -> None:
        self._pieces: deque[bytearray] = deque([bytearray(text.encode())])

    def add(self, data: bytes) -> None:
        if len(self._pieces[-1]) >= PIECE_BYTES:
            self._pieces.append(bytearray())
        self._pieces[-1] += data

    def taken(self) -> Iterator[bytearray]:
        """The pieces in their order; each is freed once it is taken."""
        while self._pieces:
            yield self._pieces.popleft()
