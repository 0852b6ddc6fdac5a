"""The feed of a worker notices changes: its own and those of other processes."""

import pytest

from service.database.access import write_transaction
from service.extensions import db
from service.records import outbox
from service.records.changes import Change
from service.records.cursor import Position
from service.records.reader import FeedReader
from service.records.window import Window
from tests.services import on_sqlite


@on_sqlite
def test_a_commit_on_sqlite_wakes_the_feed_of_its_worker_once(app):
    woken = []
    notes = app.extensions["collections"].get("notes")
    rows = [outbox.change(notes, "alice", None, {"recordId": str(n), "data": {}}) for n in (1, 2)]

    def wake():
        woken.append(db.session().in_transaction())

    outbox.after_write.add(wake)
    try:
        with app.app_context():
            with write_transaction() as session:
                for row in rows:
                    outbox.append(session.connection(), [row])
            with pytest.raises(ZeroDivisionError):
                write_and_fail(rows)
            with write_transaction():
                pass
    finally:
        outbox.after_write.discard(wake)
    assert woken == [False]


def write_and_fail(rows):
    with write_transaction() as session:
        outbox.append(session.connection(), rows)
        raise ZeroDivisionError


def test_a_reader_notices_the_commits_of_others(app):
    notes = app.extensions["collections"].get("notes")
    row = outbox.change(notes, "alice", None, {"recordId": "1", "data": {}})
    with app.app_context():
        reader = FeedReader(db.engine)
        assert reader.read(Position(0, 0)).changes == []
        before = reader.is_unchanged()
        with write_transaction() as session:
            outbox.append(session.connection(), [row])
        after = reader.is_unchanged()
        page = reader.read(Position(0, 0))
        reader.close()
    assert before is (db_kind(app) == "sqlite")  # PostgreSQL can't tell
    assert after is False
    assert [change.record_id for change in page.changes] == ["1"]
    assert page.is_last


def db_kind(app):
    with app.app_context():
        return db.engine.dialect.name


def test_a_window_that_shrinks_again_and_again_keeps_the_newest():
    window = Window(Position(0, 0))
    floors = set()
    for seq in range(1, 20_001):
        window.extend([Change(Position(0, seq), "notes", "r", "a", "removed", None, None, 0)])
        floors.add(window.floor)
    assert window.after(window.floor)[0].position == Position(0, window.floor.seq + 1)
    assert window.tail.seq - window.floor.seq <= 2000
    assert len(floors) <= 20  # it shrinks once for a thousand changes
