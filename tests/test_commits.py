"""SQLite: a write is acknowledged once it is on disk, and writes of a moment share one sync."""

import errno
import os
import sqlite3
import threading
from contextlib import closing

import gevent
import pytest
from sqlalchemy.exc import OperationalError

from service.database import commits
from service.database.access import core_transaction, write_transaction
from service.extensions import db
from tests.people import types
from tests.services import on_sqlite, wait_for

pytestmark = [on_sqlite, pytest.mark.settings(sqlite_sync="")]  # as it is by default
NOTES = "/api/records/notes"


class Disk:
    """A disk that syncs when it is let, and can fail."""

    def __init__(self) -> None:
        self.syncs = 0  # that have begun
        self.error: OSError | None = None
        self._open = threading.Event()
        self._open.set()

    def sync(self, descriptor: int) -> None:
        self.syncs += 1
        assert self._open.wait(30)
        if self.error:
            raise self.error
        os.fsync(descriptor)

    def hang(self) -> None:
        self._open.clear()

    def go_on(self) -> None:
        self._open.set()


@pytest.fixture
def disk(monkeypatch):
    disk = Disk()
    monkeypatch.setattr(commits, "_sync_data", disk.sync)
    yield disk
    disk.go_on()


def create(alice, title="t"):
    return alice.post(NOTES, {"title": title})


def titles(alice):
    return {record["data"]["title"] for record in alice.get(NOTES).json["records"]}


def log_of(app):
    return f"{db.engine.url.database}-wal"


def test_a_write_is_acknowledged_after_a_sync_that_began_behind_its_commit(app, alice, disk):
    alice.get("/api/credits")  # the user's row, and whatever else a first request writes
    before = disk.syncs
    disk.hang()
    first = gevent.spawn(create, alice, "first")
    wait_for(lambda: disk.syncs == before + 1)
    second = gevent.spawn(create, alice, "second")  # the sync that runs may be without it
    wait_for(lambda: titles(alice) == {"first", "second"})
    gevent.sleep(0.1)
    assert (first.ready(), second.ready()) == (False, False)
    disk.go_on()
    assert [each.get(10).status_code for each in (first, second)] == [201, 201]
    assert disk.syncs == before + 2


def test_a_reply_begins_before_its_claim_is_on_disk_and_ends_behind_its_rows(alice, disk):
    chat = alice.new_chat()
    alice.turn(chat, "the worker's lease, and the user's account")
    before = disk.syncs
    disk.hang()
    reply = gevent.spawn(alice.turn, chat, "hello")
    wait_for(lambda: len(alice.get("/api/records/ai-messages").json["records"]) == 4)
    gevent.sleep(0.1)
    assert not reply.ready()
    disk.go_on()
    assert types(reply.get(10))[-1] == "finish"
    assert disk.syncs == before + 1


def test_a_reader_waits_for_the_syncs_of_what_it_may_have_read_and_begins_none(
    app, alice, disk, monkeypatch
):
    create(alice)
    passes, before, syncs = threading.Semaphore(0), disk.syncs, app.extensions["commit_sync"]
    monkeypatch.setattr(commits, "_sync_data", lambda fd: passes.acquire() and disk.sync(fd))
    first = gevent.spawn(create, alice, "first")
    wait_for(lambda: "first" in titles(alice))
    one = gevent.spawn(syncs.wait_for_others)
    gevent.sleep(0.05)
    assert not one.ready()
    second = gevent.spawn(create, alice, "second")
    wait_for(lambda: "second" in titles(alice))
    both = gevent.spawn(syncs.wait_for_others)
    passes.release()
    gevent.joinall([first, one], 10)
    gevent.sleep(0.05)
    assert [each.ready() for each in (first, one, second, both)] == [True, True, False, False]
    passes.release()
    gevent.joinall([second, both], 10)
    assert (both.ready(), disk.syncs) == (True, before + 2)


def test_a_sync_that_raises_an_unexpected_error_acknowledges_nothing(alice, disk, monkeypatch):
    create(alice, "before")

    def fail(_descriptor):
        raise MemoryError

    monkeypatch.setattr(gevent.get_hub(), "handle_error", lambda *_: None)  # which prints it
    monkeypatch.setattr(commits, "_sync_data", fail)
    assert create(alice, "unknown").status_code == 503
    monkeypatch.setattr(commits, "_sync_data", disk.sync)
    assert create(alice, "after").status_code == 201  # a checkpoint has repaired it


def test_a_hanging_disk_delays_no_read(app, alice, disk):
    create(alice, "before")
    disk.hang()
    writer = gevent.spawn(create, alice, "after")
    wait_for(lambda: titles(alice) == {"before", "after"})
    assert not writer.ready()


def test_the_writes_of_a_moment_share_a_sync(app, alice, disk):
    create(alice)
    before = disk.syncs
    disk.hang()
    writers = [gevent.spawn(create, alice, str(number)) for number in range(20)]
    wait_for(lambda: len(titles(alice)) == 21)
    disk.go_on()
    assert {writer.get(10).status_code for writer in writers} == {201}
    assert disk.syncs == before + 2  # the first one's, and one for those that came meanwhile


def test_a_failed_sync_is_made_good_by_a_checkpoint(app, alice, disk):
    with app.app_context():
        create(alice, "before")
        disk.error = OSError(errno.EIO, "error of the disk")
        assert create(alice, "after").status_code == 201
        assert os.path.getsize(log_of(app)) == 0, "nothing depends on the log any more"
        with closing(sqlite3.connect(db.engine.url.database)) as connection:
            connection.execute("PRAGMA integrity_check")
    disk.error = None
    assert titles(alice) == {"before", "after"}


def test_without_a_checkpoint_the_database_counts_as_unavailable(app, alice, disk):
    """A reader keeps the log from being emptied. Nothing is acknowledged, and nothing is read: a
    create whose COMMIT failed looks for its record."""
    create(alice, "before")
    with app.app_context():
        path = db.engine.url.database
    reader = sqlite3.connect(path, isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM users").fetchone()
    create(alice, "between")
    disk.error = OSError(errno.EIO, "error of the disk")
    refused = [create(alice, "after"), alice.get(NOTES)]
    assert [(each.status_code, each.json["error"]) for each in refused] == [
        (503, "unavailable"),
        (503, "unavailable"),
    ]
    reader.execute("COMMIT")
    reader.close()
    wait_for(lambda: alice.get(NOTES).status_code == 200)
    disk.error = None
    assert create(alice, "later").status_code == 201


def test_a_log_that_is_gone_needs_no_sync(app, disk, monkeypatch):
    """The last connection that closes writes it all to the database's file."""
    with app.app_context():
        sync = app.extensions["commit_sync"]
        db.engine.dispose()
        assert not os.path.exists(log_of(app))
        sync.wait()
    assert disk.syncs == 0


def test_the_entry_of_a_new_log_is_synced_with_its_directory(app, alice, monkeypatch):
    synced = []
    monkeypatch.setattr(commits, "sync", lambda path: synced.append(str(path)))
    create(alice)
    with app.app_context():
        directory = os.path.dirname(db.engine.url.database)
        assert synced == [directory]
        create(alice)
        assert synced == [directory]
        db.engine.dispose()
    create(alice)
    assert synced == [directory, directory]


def test_a_transaction_that_is_rolled_back_waits_for_nothing(app, disk):
    with app.app_context(), pytest.raises(OperationalError), write_transaction():
        raise OperationalError("x", None, sqlite3.OperationalError("no"))
    assert disk.syncs == 0


def test_a_writer_that_may_not_begin_makes_none_of_the_next_read(app, monkeypatch):
    """Both have the same connection of the pool."""

    def refuse():
        raise OperationalError("BEGIN", None, sqlite3.OperationalError("no disk"))

    with app.app_context():
        with monkeypatch.context() as broken:
            broken.setattr(app.extensions["commit_sync"], "check", refuse)
            with pytest.raises(OperationalError), core_transaction(app):
                pytest.fail("it may not begin")
        db.session.connection()
        other = sqlite3.connect(db.engine.url.database, timeout=0)
        other.execute("BEGIN IMMEDIATE")
        other.close()


def test_a_writer_behind_a_failed_sync_is_answered(app, alice, disk):
    create(alice)
    before = disk.syncs
    with app.app_context():
        path = db.engine.url.database
    with closing(sqlite3.connect(path, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM users").fetchone()  # so no repair succeeds
        disk.hang()
        first = gevent.spawn(create, alice, "first")
        wait_for(lambda: disk.syncs == before + 1)
        second = gevent.spawn(create, alice, "second")
        wait_for(lambda: "second" in titles(alice))
        disk.error = OSError(errno.EIO, "lost")
        disk.go_on()
        wait_for(lambda: app.extensions["commit_sync"]._failed)
        others = [gevent.spawn(alice.get, NOTES) for _ in range(3)]
        answers = [one.get(timeout=20).status_code for one in (first, second, *others)]
    assert answers == [503] * 5
