"""Files that the service writes are readable by its user only, whatever its umask is."""

import os
import sqlite3
from contextlib import closing

from service.sandbox import boot
from tests.services import command


def mode(path) -> str:
    return oct(path.stat().st_mode & 0o777)


def test_the_embedded_database_is_readable_by_its_owner_alone(tmp_path, monkeypatch):
    instance = tmp_path / "instance"
    monkeypatch.setattr(boot, "INSTANCE", instance)
    before = os.umask(0o022)
    try:
        done = command({"SANDBOX": "1"}, "db", "upgrade")
    finally:
        os.umask(before)
    assert done.exit_code == 0, done.output
    assert mode(instance) == "0o700"
    with closing(sqlite3.connect(instance / "sandbox.db")) as connection:
        connection.execute("CREATE TABLE written (n)")
        modes = {path.name: mode(path) for path in instance.glob("sandbox.db*")}
    assert modes == dict.fromkeys(("sandbox.db", "sandbox.db-wal", "sandbox.db-shm"), "0o600")
