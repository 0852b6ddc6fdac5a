"""SQLite: another process holds the file's write lock for long."""

import sqlite3

import gevent
import pytest

from service.database import sqlite
from service.extensions import db
from tests.services import on_sqlite

pytestmark = on_sqlite
NOTES = "/api/records/notes"
WRITERS = 10


@pytest.fixture
def other(app, alice, monkeypatch):
    """The other process, before it writes."""
    monkeypatch.setattr(sqlite, "BUSY_SECONDS", 0.8)
    alice.get("/api/credits")  # her rows
    with app.app_context():
        connection = sqlite3.connect(str(db.engine.url.database), isolation_level=None)
    yield connection
    connection.close()


def create(alice, number):
    return alice.post(NOTES, {"title": str(number)}).status_code


def test_waiting_writers_give_up_together(alice, other, monkeypatch):
    give_up, alone = sqlite.writer_lock.give_up, []  # how often one has waited for the whole time
    monkeypatch.setattr(sqlite.writer_lock, "give_up", lambda: alone.append(1) or give_up())
    other.execute("BEGIN IMMEDIATE")
    writers = [gevent.spawn(create, alice, number) for number in range(WRITERS)]
    gevent.joinall(writers)
    assert [writer.value for writer in writers] == [503] * WRITERS
    assert len(alone) < WRITERS / 2, "one after the other"
    other.execute("ROLLBACK")
    assert create(alice, "after") == 201


def test_a_writer_that_has_just_arrived_does_not_give_up_with_another(alice, other, monkeypatch):
    monkeypatch.setattr(sqlite, "PATIENCE_SECONDS", 60)
    other.execute("BEGIN IMMEDIATE")
    first = gevent.spawn(create, alice, "first")
    gevent.sleep(sqlite.BUSY_SECONDS - 0.2)
    second = gevent.spawn(create, alice, "second")
    assert first.get(20) == 503
    other.execute("ROLLBACK")
    assert second.get(20) == 201


def test_a_writer_waits_for_a_short_time(alice, other, monkeypatch):
    monkeypatch.setattr(sqlite, "BUSY_SECONDS", 20)
    other.execute("BEGIN IMMEDIATE")
    writers = [gevent.spawn(create, alice, number) for number in range(WRITERS)]
    gevent.sleep(0.2)
    other.execute("ROLLBACK")
    gevent.joinall(writers)
    assert [writer.value for writer in writers] == [201] * WRITERS
