"""A collection, its changes, and subscriptions to it, without a database."""

from service.records import where
from service.records.changes import Change
from service.records.collection import Collection, Column
from service.records.cursor import Cursor, Position
from service.records.subscription import Subscription

BOARD = Collection("board", (Column("userId", fixed=True), Column("text")), {})


def subscription(id="s", rule=True, **filter):
    cursor = Cursor("here", Position(0, 0))
    return Subscription(id, BOARD, "user", rule, where.parse(BOARD, "user", filter), cursor, False)


def change(seq, owner="alice", text="hello"):
    after = {"recordId": "r", "data": {"text": text}, "createdAt": "", "updatedAt": ""}
    return Change(Position(0, seq), "board", "r", owner, "added", None, after, 10)
