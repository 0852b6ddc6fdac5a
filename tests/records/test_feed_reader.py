"""The feed of a worker notices changes: its own and those of other processes."""

import sqlite3
import threading
import time
from contextlib import closing
from types import SimpleNamespace

import gevent
import pytest
from gevent.event import Event
from sqlalchemy import event, text, update
from sqlalchemy.exc import OperationalError

from service.auth.users import Caller, rights_cache
from service.database import commits
from service.database.access import write_transaction
from service.database.commits import CommitSync
from service.extensions import db
from service.records import changes, outbox, session_rights
from service.records.changes import Change, ChangeFilter, current_cursor
from service.records.cursor import Position
from service.records.entitlement import Entitlement
from service.records.feed import POLL_SECONDS, ChangesPruned
from service.records.models import Outbox
from service.records.polling import polling
from service.records.reader import FeedReader
from service.records.recent_changes import Window
from service.times import now
from tests.services import on_sqlite, wait_for


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
        reader = FeedReader(db.engine, current_cursor(db.session()).epoch)
        db.session.commit()
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


def test_cursors_of_a_host_that_tells_no_timeline_have_none(app):
    """Aurora refuses to tell of its log where this setting, which only Amazon has, is off."""
    with app.app_context():
        usual = current_cursor(db.session()).epoch
        if db_kind(app) == "postgresql":
            db.session.execute(text("SET LOCAL rds.logical_replication = 'off'"))
        without = current_cursor(db.session()).epoch
        db.session.commit()
    assert usual == without + ("-00000001" if db_kind(app) == "postgresql" else "")


@on_sqlite
def test_the_event_loop_can_look_for_commits_all_the_time(app):
    """SQLite's progress handler lets others run in between, which an event loop can't do."""
    looks, done = [], Event()
    with app.app_context():
        reader = FeedReader(db.engine, current_cursor(db.session()).epoch)
        db.session.commit()
        reader.read(Position(0, 0))

        def look():
            looks.append(reader.is_unchanged())
            if len(looks) == 100:
                done.set()

        with polling(0.002, look):
            assert done.wait(10)
        reader.close()
    assert set(looks) == {True}


class Listener:
    """A session without a socket, which keeps the changes it is told of."""

    subject = "alice"

    def __init__(self, app):
        self.heard = []
        self.entitlement = Entitlement(Caller("alice", "user"), time.time() + 60)
        self.memberships, self.outlet = [], SimpleNamespace(place=None)

    def on_changes(self, new, tail):
        self.heard += [change.record_id for change in new]

    def on_rights(self):
        pass


@pytest.fixture
def polls():
    """How often the feed looks for what nobody tells it."""
    return {}


@pytest.fixture
def listener(app, polls, monkeypatch):
    for dialect, seconds in polls.items():
        monkeypatch.setitem(POLL_SECONDS, dialect, seconds)
    listener = Listener(app)
    with app.app_context():
        app.extensions["feed"].join(listener)
    yield listener
    app.extensions["feed"].leave(listener)


def write(app, record_id):
    notes = app.extensions["collections"].get("notes")
    with app.app_context(), write_transaction() as session:
        row = outbox.change(notes, "alice", None, {"recordId": record_id, "data": {}})
        outbox.append(session.connection(), [row])


@on_sqlite
def test_a_commit_of_another_process_is_noticed(app, listener):
    write(app, "own")
    with app.app_context(), closing(sqlite3.connect(db.engine.url.database)) as other:
        columns = "xid, collection, record_id, owner, action, before, after, created_at"
        other.execute(
            f"INSERT INTO outbox ({columns}) SELECT xid, collection, 'of another', owner, action,"
            " before, after, created_at FROM outbox"
        )
        other.commit()
    wait_for(lambda: len(listener.heard) == 2)
    assert listener.heard == ["own", "of another"]


@on_sqlite
@pytest.mark.settings(sqlite_sync="")
@pytest.mark.parametrize("polls", [{"sqlite": 60.0}])
def test_a_change_is_read_during_its_sync_and_delivered_behind_it(app, listener, monkeypatch):
    go_on, sync, reads = threading.Event(), commits._sync_data, []
    read = FeedReader.read
    monkeypatch.setattr(FeedReader, "read", lambda *args: reads.append(read(*args)) or reads[-1])
    monkeypatch.setattr(commits, "_sync_data", lambda fd: go_on.wait(30) and sync(fd))
    writer = gevent.spawn(write, app, "one")
    wait_for(lambda: any(page.changes for page in reads))
    gevent.sleep(0.1)
    assert (listener.heard, writer.ready()) == ([], False)
    go_on.set()
    wait_for(lambda: listener.heard)
    gevent.sleep(0.1)
    assert (listener.heard, len([page for page in reads if page.changes])) == (["one"], 1)


@on_sqlite
@pytest.mark.settings(sqlite_sync="")
def test_a_change_whose_sync_has_failed_is_delivered_when_it_is_on_disk(app, listener, monkeypatch):
    """Nothing else is committed, so that only the reader itself can know that it has to read."""
    failing, error = [True], OperationalError("COMMIT", None, sqlite3.OperationalError("disk"))

    def fail(self):
        if failing:
            raise error

    monkeypatch.setattr(CommitSync, "wait_for_others", fail)
    write(app, "one")
    gevent.sleep(0.2)
    assert listener.heard == []
    failing.clear()
    wait_for(lambda: listener.heard == ["one"])


@on_sqlite
def test_changes_wait_until_rights_that_have_become_old_are_read(app, listener, monkeypatch):
    """They could not be read for a while, or the worker was suspended."""
    read, asked, failing = rights_cache.refresh, [], [True]

    def refresh(subjects):
        if failing:
            raise OperationalError("SELECT", None, sqlite3.OperationalError("locked"))
        asked.append((subjects, list(listener.heard)))
        read(subjects)

    monkeypatch.setattr(session_rights, "RIGHTS_AGE", 0)
    monkeypatch.setattr(rights_cache, "refresh", refresh)
    write(app, "one")
    gevent.sleep(0.2)
    assert listener.heard == []
    failing.clear()
    wait_for(lambda: listener.heard == ["one"])
    assert asked[0] == ({"alice"}, [])


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


def test_no_subscriber_misses_changes_that_another_worker_prunes_during_a_read(app, monkeypatch):
    notes, read = app.extensions["collections"].get("notes"), changes.read
    row = outbox.change(notes, "alice", None, {"recordId": "1", "data": {}})
    with app.app_context(), write_transaction() as session:
        outbox.append(session.connection(), [{**row, "created_at": now() - 2 * outbox.RETENTION}])

    def prune():
        with app.app_context(), write_transaction() as session:
            assert outbox.prune(session) == 1

    def read_after_pruning(*arguments):
        gevent.spawn(prune).get(timeout=20)
        return read(*arguments)

    monkeypatch.setattr(changes, "read", read_after_pruning)
    feed, mine = app.extensions["feed"], ChangeFilter(("notes",), "alice")
    with pytest.raises(ChangesPruned):
        feed._read(Position(0, 0), lambda: mine)


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_the_place_of_the_last_pruned_change_never_goes_back(app, monkeypatch):
    """Otherwise a cursor before pruned changes would be accepted, and they would be missed."""
    monkeypatch.setattr(outbox, "PRUNE_BATCH", 1)
    notes = app.extensions["collections"].get("notes")
    rows = [outbox.change(notes, "alice", None, {"recordId": n, "data": {}}) for n in "123"]
    old = [{**row, "created_at": now() - 2 * outbox.RETENTION} for row in rows]
    places = []

    def prune():
        with app.app_context(), write_transaction() as session:
            outbox.prune(session)
        with app.app_context():
            places.append(changes.pruned_position(db.session()))

    others = [prune, prune]

    def overtake(_connection, _cursor, statement, *_rest):
        if statement.startswith("SELECT") and "FROM outbox" in statement:
            waiting, others[:] = others[:], []
            for one in waiting:
                gevent.spawn(one).get(timeout=20)

    with app.app_context():
        with write_transaction() as session:
            outbox.append(session.connection(), old)
        event.listen(db.engine, "after_cursor_execute", overtake)
        prune()
    assert places[0] < places[1] == places[2]


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_pruning_leaves_changes_that_an_erasure_has_locked_for_later(app):
    """They lock changes in different orders, so that they could deadlock."""
    notes, old = app.extensions["collections"].get("notes"), now() - 2 * outbox.RETENTION
    rows = [outbox.change(notes, "alice", None, {"recordId": n, "data": {}}) for n in "123"]

    def prune():
        with app.app_context(), write_transaction() as session:
            return outbox.prune(session)

    def in_another_greenlet():
        return gevent.spawn(prune).get(timeout=20)

    with app.app_context():
        with write_transaction() as session:
            outbox.append(session.connection(), [{**row, "created_at": old} for row in rows])
        with write_transaction() as session:
            session.execute(update(Outbox).where(Outbox.record_id == "2").values(after=None))
            assert [in_another_greenlet() for _ in range(2)] == [2, 0]
            outbox.erase_text(session, notes, "alice", ["1"])
        assert changes.pruned_position(db.session()).seq == 3
    assert [in_another_greenlet() for _ in range(2)] == [1, 0]


def test_a_change_with_a_later_time_that_is_pruned_last_moves_the_place_not_back(app):
    """The clocks of two hosts differ, and a clock can be set back."""
    notes, old = app.extensions["collections"].get("notes"), now() - 2 * outbox.RETENTION
    rows = [outbox.change(notes, "alice", None, {"recordId": n, "data": {}}) for n in "123"]
    times, places = (old, now(), old), []
    with app.app_context():
        with write_transaction() as session:
            dated = [{**row, "created_at": t} for row, t in zip(rows, times, strict=True)]
            outbox.append(session.connection(), dated)
        for pruned in (2, 1):
            with write_transaction() as session:
                assert outbox.prune(session) == pruned
                places.append(changes.pruned_position(session))
                session.execute(update(Outbox).values(created_at=old))
    assert places[0] == places[1]
