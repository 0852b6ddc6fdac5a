"""Directories of databases in memory, and the files of SQLite in them."""

import os
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests import memory_directories
from tests.services import FILES, Databases


@pytest.fixture
def place(monkeypatch, tmp_path):
    """It stands for the memory, with room, and every directory in it is old."""
    monkeypatch.setattr(memory_directories, "MEMORY", tmp_path)
    monkeypatch.setattr(memory_directories, "_free_memory", lambda: 100 * memory_directories.GIB)
    monkeypatch.setattr(memory_directories, "OLD", -1)
    monkeypatch.delenv("TMPDIR", raising=False)
    return tmp_path


def test_what_ended_processes_left_is_removed_and_no_other(place):
    ended = subprocess.Popen(["true"])
    ended.wait()
    left, own = (memory_directories.make_own_directory("service-sqlite-") for _ in range(2))
    (left / memory_directories.OWNER).write_text(str(ended.pid))
    other = place / "others-sqlite-1"
    other.mkdir()
    memory_directories.make_directory("service-pg-")
    assert not left.exists()
    assert own.exists()
    assert other.exists()


def test_without_room_the_disk_is_used(place, monkeypatch):
    monkeypatch.setattr(memory_directories, "_free_memory", lambda: memory_directories.GIB)
    made = memory_directories.make_own_directory("service-sqlite-")
    assert made.parent != place
    (made / memory_directories.OWNER).unlink()
    made.rmdir()


def test_a_chosen_place_is_used(place, monkeypatch, tmp_path_factory):
    chosen = tmp_path_factory.mktemp("chosen")
    monkeypatch.setenv("TMPDIR", str(chosen))
    monkeypatch.setattr(
        memory_directories.tempfile, "tempdir", None
    )  # which remembers an earlier one
    assert memory_directories.make_own_directory("service-sqlite-").parent == chosen


class Config:
    """As much of pytest's configuration as is used."""

    def __init__(self, basetemp=None):
        self.option = SimpleNamespace(basetemp=basetemp)
        self.cleanups = []

    def add_cleanup(self, cleanup):
        self.cleanups.append(cleanup)


def test_the_tests_files_are_in_memory_and_removed_at_the_end(place):
    config = Config()
    memory_directories.keep_files(config)
    made = Path(config.option.basetemp)
    made.mkdir()
    assert made.is_relative_to(place)
    [remove] = config.cleanups
    remove()
    assert os.listdir(place) == []


def test_files_stay_where_somebody_wants_them_or_where_memory_runs_no_programs(place, monkeypatch):
    chosen, config = Config("chosen"), Config()
    memory_directories.keep_files(chosen)
    monkeypatch.setattr(os, "statvfs", lambda _: SimpleNamespace(f_flag=os.ST_NOEXEC))
    memory_directories.keep_files(config)
    assert (chosen.option.basetemp, config.option.basetemp) == ("chosen", None)
    assert chosen.cleanups + config.cleanups == os.listdir(place) == []


def test_files_of_sqlite_are_deleted_some_tests_later(tmp_path, monkeypatch):
    databases = Databases(tmp_path)
    monkeypatch.setattr(databases, "migrate", lambda url: (tmp_path / "template.db").touch())
    urls = [databases.make("sqlite") for _ in range(FILES + 1)]
    (tmp_path / "test-1.db-wal").touch()
    for url in urls[:-1]:
        databases.give_back(url)
    assert (tmp_path / "test-1.db").exists(), "what runs in the background may still read it"
    databases.give_back(urls[-1])
    kept = {name for name in os.listdir(tmp_path) if name.startswith("test-")}
    assert kept == {f"test-{number}.db" for number in range(2, FILES + 2)}
