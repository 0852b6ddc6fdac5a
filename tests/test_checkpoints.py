"""SQLite: the log is copied into the database's file beside all other work."""

import os
import shutil
import sqlite3
import threading
from contextlib import closing, suppress
from itertools import pairwise

import gevent
import pytest

from service.database import checkpoints
from service.extensions import db
from tests.services import on_sqlite, wait_for

pytestmark = [on_sqlite, pytest.mark.settings(sqlite_sync="")]  # as it is by default
NOTES = "/api/records/notes"
COMMITS = 5
LONG = 100  # pages
KEPT = 150 * 4096  # bytes
PAGE = 4096 + 24  # bytes in the log


@pytest.fixture(autouse=True)
def often(monkeypatch):
    monkeypatch.setattr(checkpoints, "COMMITS", COMMITS)
    monkeypatch.setattr(checkpoints, "LONG_PAGES", LONG)
    monkeypatch.setattr(checkpoints, "KEPT_BYTES", KEPT)


@pytest.fixture
def copies(monkeypatch):
    """The threads that have copied the log. An error in `errors` is raised instead of a copy."""
    threads, copy = [], checkpoints._copy

    def noted(*arguments):
        threads.append(threading.get_ident())
        if noted.errors:
            raise noted.errors.pop()
        return copy(*arguments)

    noted.errors, noted.threads = [], threads
    monkeypatch.setattr(checkpoints, "_copy", noted)
    return noted


def create(alice, count=COMMITS):
    for _ in range(count):
        assert alice.post(NOTES, {"title": "t"}).status_code == 201


def path_of(app):
    with app.app_context():
        return db.engine.url.database


def failure(code):
    error = sqlite3.OperationalError("no")
    error.sqlite_errorcode = code
    return error


def rows_without_the_log(app, tmp_path):
    """Count the rows in the database's file alone; 0 if a checkpoint writes to it meanwhile."""
    shutil.copy(path_of(app), tmp_path / "alone.db")
    with closing(sqlite3.connect(tmp_path / "alone.db")) as alone, suppress(sqlite3.DatabaseError):
        return alone.execute("SELECT count(*) FROM records").fetchone()[0]
    return 0


def test_a_thread_copies_the_log(app, alice, copies, tmp_path):
    create(alice, 2 * COMMITS)
    wait_for(lambda: rows_without_the_log(app, tmp_path) >= COMMITS)
    assert copies.threads[0] != threading.get_ident()


@pytest.mark.parametrize("name", ["//a.db", "a ?#%.db", os.fsdecode(b"a\xff.db")])
def test_the_log_of_a_file_of_any_name_is_copied(database_url, tmp_path, name):
    path = f"{tmp_path}/{name}" if name[0] != "/" else f"/{tmp_path}{name}"
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("CREATE TABLE notes (id INTEGER)")
        checkpoints._copy(path)
        shutil.copy(path, tmp_path / "alone")
        with closing(sqlite3.connect(tmp_path / "alone")) as alone:
            assert alone.execute("SELECT count(*) FROM notes").fetchone() == (0,)


@pytest.mark.parametrize("configure", [{"sqlite_sync": ""}, {"sqlite_sync": "normal"}], ids=str)
def test_a_commit_copies_no_log_of_usual_length(app):
    with app.app_context():
        pages = db.session.connection().exec_driver_sql("PRAGMA wal_autocheckpoint").scalar()
    assert pages == checkpoints.MOST_PAGES


def test_a_copy_that_hangs_delays_nobody_and_is_the_only_one(alice, monkeypatch):
    begun, go_on = [], threading.Event()

    def hang(*_):
        begun.append(1)
        assert go_on.wait(100)
        return 0

    monkeypatch.setattr(checkpoints, "_copy", hang)
    with gevent.Timeout(60):
        create(alice, COMMITS)
        wait_for(lambda: begun)
        create(alice, 2 * COMMITS)
        assert len(alice.get(NOTES).json["records"]) == 3 * COMMITS
    assert begun == [1]
    go_on.set()
    wait_for(lambda: create(alice, 1) or len(begun) > 1)


def pages_of_log(app):
    return os.path.getsize(f"{path_of(app)}-wal") // PAGE


def reader(app):
    """Somebody who reads in the log until the connection is closed."""
    connection = sqlite3.connect(path_of(app), isolation_level=None)
    connection.execute("BEGIN")
    connection.execute("SELECT count(*) FROM records").fetchone()
    return connection


@pytest.fixture
def always_read(app):
    """There is a reader of the log at any time: each ends after the next one has begun."""

    def read():
        last = reader(app)
        try:
            while True:
                gevent.sleep(0.01)
                new = reader(app)
                last.close()
                last = new
        finally:
            last.close()

    reading = gevent.spawn(read)
    yield
    reading.kill()


@pytest.mark.parametrize("configure", [{"sqlite_sync": ""}, {"sqlite_sync": "normal"}], ids=str)
def test_a_log_in_which_somebody_always_reads_does_not_grow_without_end(
    app, alice, always_read, monkeypatch
):
    # A busy machine changes readers less often.
    monkeypatch.setattr(checkpoints, "PATIENCE_SECONDS", 10)
    lengths = []
    for _ in range(20):
        create(alice)
        lengths.append(pages_of_log(app))
        gevent.sleep(0.02)  # without a sync nothing lets the reader go on
    assert max(lengths) < 3 * LONG


def test_writers_wait_only_now_and_then_for_a_reader_who_does_not_end(app, alice, monkeypatch):
    limits, copy = [], checkpoints._copy

    def noted(path, long):
        limits.append(long)
        return copy(path, long)

    monkeypatch.setattr(checkpoints, "_copy", noted)
    monkeypatch.setattr(checkpoints, "PATIENCE_SECONDS", 0.1)
    with gevent.Timeout(60), closing(reader(app)):
        while len(set(limits)) < 4:
            create(alice)
    waited = sorted(set(limits))
    assert all(later - earlier >= LONG for earlier, later in pairwise(waited))
    assert len(limits) > len(waited)  # a write takes less than half of the pages between two waits
    with gevent.Timeout(60):
        while limits[-1] != LONG:  # the log has begun anew
            create(alice)


def test_the_file_of_a_log_that_was_longer_is_cut_as_the_log_begins_anew(app, alice, monkeypatch):
    monkeypatch.setattr(checkpoints, "PATIENCE_SECONDS", 0.1)
    with closing(reader(app)):
        while pages_of_log(app) < 3 * LONG:
            create(alice)
    with gevent.Timeout(60):
        while pages_of_log(app) > 2 * LONG:
            create(alice)
    assert pages_of_log(app) >= KEPT // PAGE, "to write over the rest is cheaper than to append"


def test_a_disk_that_fails_is_repaired_by_the_next_transaction(app, alice, copies, monkeypatch):
    """The pages that the kernel may have lost are written again."""
    syncs, repaired = app.extensions["commit_sync"], []
    repair = syncs._repair
    monkeypatch.setattr(syncs, "_repair", lambda: repaired.append(repair()))
    copies.errors.append(failure(sqlite3.SQLITE_IOERR_FSYNC))
    create(alice)
    wait_for(lambda: alice.get(NOTES).status_code == 200 and repaired)
    create(alice)
    assert repaired == [None]


@pytest.mark.parametrize("error", [failure(sqlite3.SQLITE_FULL), MemoryError()], ids=str)
def test_an_error_that_needs_no_repair_is_only_logged(alice, copies, monkeypatch, capsys, error):
    monkeypatch.setattr(gevent.get_hub(), "handle_error", lambda *_: None)  # which prints it
    copies.errors.append(error)
    create(alice)
    wait_for(lambda: "log not copied" in capsys.readouterr().err)
    create(alice)
    wait_for(lambda: len(copies.threads) == 2)


def test_a_file_that_is_gone_is_not_made_again(database_url, tmp_path):
    with pytest.raises(sqlite3.OperationalError):
        checkpoints._copy(str(tmp_path / "gone.db"))
    assert not list(tmp_path.iterdir())
