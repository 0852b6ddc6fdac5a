"""The snapshot of records at the start of a subscription, read at one moment and sent in pieces.

A snapshot takes megabytes, and its client may be slow. So a worker sends one at a time for each
user, over all sockets of the user. It reads the snapshot from the database when it can be sent,
and frees each piece after writing it. While it reads, the snapshot counts as a page, so that the
snapshots of many users leave database connections for other requests. A subscription that waits
holds neither rows nor a database connection.
"""

import json
from collections import deque
from collections.abc import Iterator
from dataclasses import replace

from flask import current_app

from service.database.access import COMMIT_SYNC
from service.extensions import db
from service.records import changes
from service.records.cursor import Cursor
from service.records.envelope import envelope
from service.records.query import condition
from service.records.session import SocketSession
from service.records.store import in_pieces, select_visible
from service.records.subscription import Subscription
from service.web.errors import TooLarge
from service.web.json_values import encode, encoding_budget

SNAPSHOT_RECORDS = 5_000
SNAPSHOT_BYTES = 8 << 20
PIECE_BYTES = 256 << 10


def read(session: SocketSession, subscription: Subscription) -> "tuple[Cursor, Pieces]":
    """Return the records as they are at one moment, to be sent, and the cursor of that moment.

    Needs an app context, inside `session.snapshot_turn()` and `page_turns.worker_turn()`. Raises
    `TooLarge`, and `OperationalError` if commits can't be made durable.
    """
    db.session.commit()
    changes.begin_snapshot(db.session())
    cursor = replace(changes.current_cursor(db.session()), view=subscription.view)
    # Escaped, because UTF-8 can't encode an id with a lone surrogate.
    pieces = Pieces(f'{{"type":"snapshot","id":{json.dumps(subscription.id)},"records":[')
    try:
        _fill(pieces, session, subscription)
    finally:  # also before an error message, which may take long to send
        db.session.rollback()
    if commits := COMMIT_SYNC.get(current_app):
        commits.wait_for_others()  # or a power cut might undo what the snapshot and its cursor show
    pieces.add(f'],"cursor":"{cursor}"}}'.encode())
    return cursor, pieces


def _fill(pieces: "Pieces", session: SocketSession, subscription: Subscription) -> None:
    collection, role = subscription.collection, subscription.role
    statement = select_visible(collection, session.caller, role, "read")
    statement = statement.where(condition(collection, subscription.where))
    statement = statement.order_by(collection.model.seq).limit(SNAPSHOT_RECORDS + 1)
    count = size = 0
    for row in in_pieces(statement, SNAPSHOT_RECORDS):
        record = encode(envelope(collection, row, role)).encode()
        encoding_budget.spend(len(record))
        count, size = count + 1, size + len(record)
        if size > SNAPSHOT_BYTES or count > SNAPSHOT_RECORDS:
            raise TooLarge("Too many records to subscribe to: use a narrower `where`.")
        pieces.add(b"," + record if count > 1 else record)


class Pieces:
    """A long text in pieces. All except the last have at least `PIECE_BYTES`."""

    def __init__(self, text: str) -> None:
        self._pieces: deque[bytearray] = deque([bytearray(text.encode())])

    def add(self, data: bytes) -> None:
        if len(self._pieces[-1]) >= PIECE_BYTES:
            self._pieces.append(bytearray())
        self._pieces[-1] += data

    def take(self) -> Iterator[bytearray]:
        """Yield the pieces in their order and free each."""
        while self._pieces:
            yield self._pieces.popleft()
