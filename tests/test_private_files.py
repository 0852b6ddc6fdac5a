"""Files that the service writes are readable by its user only, whatever its umask is."""

import os
import sqlite3
from contextlib import closing

from tests.fresh_copy import FreshCopy


def mode(path) -> str:
    return oct(path.stat().st_mode & 0o777)


def test_the_embedded_database_is_readable_by_its_owner_alone(tmp_path):
    before = os.umask(0o022)
    try:
        done = FreshCopy(tmp_path).flask("db", "upgrade", SANDBOX="1")
    finally:
        os.umask(before)
    assert done.returncode == 0, done.stdout
    instance = tmp_path / "instance"
    assert mode(instance) == "0o700"
    with closing(sqlite3.connect(instance / "sandbox.db")) as connection:
        connection.execute("CREATE TABLE written (n)")
        modes = {path.name: mode(path) for path in instance.glob("sandbox.db*")}
    assert modes == dict.fromkeys(("sandbox.db", "sandbox.db-wal", "sandbox.db-shm"), "0o600")
