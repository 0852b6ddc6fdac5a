"""Backups that can't be made."""

import errno
import os
from itertools import count

import pytest

from service.upkeep.backup import BackupRefused, copy_database
from tests.services import on_sqlite


@on_sqlite
@pytest.mark.parametrize("number", [1, 2], ids=["the copy", "its name"])
def test_a_copy_that_can_not_be_written_to_the_disk_is_refused_and_removed(
    app, tmp_path, monkeypatch, number
):
    syncs = count(1)

    def fail(_descriptor):
        if next(syncs) == number:
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with app.app_context(), pytest.raises(BackupRefused, match="No space left on device"):
        copy_database(tmp_path / "copy")
    assert list(tmp_path.iterdir()) == []


@on_sqlite
def test_a_copy_that_is_interrupted_is_removed(app, tmp_path, monkeypatch):
    def interrupt(_descriptor):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with app.app_context(), pytest.raises(KeyboardInterrupt):
        copy_database(tmp_path / "copy")
    assert list(tmp_path.iterdir()) == []


@on_sqlite
def test_what_a_kill_leaves_has_not_the_name_of_a_copy(app, tmp_path, monkeypatch):
    """Nobody could tell it from a whole one, and the next backup may not write over it."""
    seen = []
    monkeypatch.setattr(os, "fsync", lambda _: seen.append(os.listdir(tmp_path)))
    with app.app_context():
        size = copy_database(tmp_path / "copy")
        assert seen == [["copy.part"], ["copy"]]
        assert os.listdir(tmp_path) == ["copy"]
        assert (tmp_path / "copy").stat().st_size == size
        (tmp_path / "other.part").touch()
        with pytest.raises(BackupRefused, match="other.part exists: a backup is being made, or"):
            copy_database(tmp_path / "other")
