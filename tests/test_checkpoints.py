"""SQLite: the log is copied into the database's file beside all other work."""

import os
import shutil
import sqlite3
import threading
from contextlib import closing

import gevent
import pytest

from service.database import checkpoints
from service.extensions import db
from tests.services import on_sqlite, wait_for

pytestmark = [on_sqlite, pytest.mark.settings(sqlite_sync="")]  # as it is by default
NOTES = "/api/records/notes"
COMMITS = 5


@pytest.fixture(autouse=True)
def often(monkeypatch):
    monkeypatch.setattr(checkpoints, "COMMITS", COMMITS)


@pytest.fixture
def copies(monkeypatch):
    """The threads that have copied the log. An error in `errors` is raised instead of a copy."""
    threads, copy = [], checkpoints._copy

    def noted(path):
        threads.append(threading.get_ident())
        if noted.errors:
            raise noted.errors.pop()
        copy(path)

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
    """What is in the database's file alone."""
    shutil.copy(path_of(app), tmp_path / "alone.db")
    with sqlite3.connect(tmp_path / "alone.db") as alone:
        return alone.execute("SELECT count(*) FROM records").fetchone()[0]


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


def test_a_commit_copies_no_log_of_usual_length(app):
    with app.app_context():
        pages = db.session.connection().exec_driver_sql("PRAGMA wal_autocheckpoint").scalar()
    assert pages == checkpoints.PAGES


def test_a_copy_that_hangs_delays_nobody_and_is_the_only_one(alice, monkeypatch):
    begun, go_on = [], threading.Event()

    def hang(_path):
        begun.append(1)
        assert go_on.wait(30)

    monkeypatch.setattr(checkpoints, "_copy", hang)
    with gevent.Timeout(20):
        create(alice, 3 * COMMITS)
        assert len(alice.get(NOTES).json["records"]) == 3 * COMMITS
    assert begun == [1]
    go_on.set()
    create(alice)
    wait_for(lambda: len(begun) == 2)


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
def test_another_failure_is_logged_only(alice, copies, monkeypatch, capsys, error):
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
