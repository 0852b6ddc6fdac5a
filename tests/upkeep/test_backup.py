"""Backups that can't be made."""

import errno
import os

import pytest

from service.upkeep.backup import BackupRefused, copy_database
from tests.services import on_sqlite


@on_sqlite
def test_a_copy_that_can_not_be_written_to_the_disk_is_refused_and_removed(
    app, tmp_path, monkeypatch
):
    def fail(_descriptor):
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
