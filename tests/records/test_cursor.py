"""A cursor remembers what its snapshot has until the feed has passed it."""

from service.records.cursor import Cursor, Position, Snapshot, read_cursor

TAKEN = Cursor("epoch", Position(5, 9), Snapshot(end=10, running=(7,)))


def test_a_change_comes_once_wherever_the_snapshot_was_taken():
    """Transaction 8 was committed before the snapshot, and 7, which is older, after it."""
    behind = TAKEN.advance(Position(7, 20))
    for cursor in (TAKEN, behind, read_cursor(str(behind))):
        new = [xid for xid in range(6, 12) if cursor.is_new(Position(xid, 30))]
        assert new == [7, 10, 11]


def test_a_cursor_forgets_its_snapshot_when_the_feed_has_passed_it():
    assert TAKEN.advance(Position(9, 21)).snapshot == TAKEN.snapshot
    past = TAKEN.advance(Position(10, 22))
    assert (past.snapshot, len(str(past)) < len(str(TAKEN))) == (None, True)
