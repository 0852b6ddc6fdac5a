"""Copy the SQLite database while the service writes.

Copying the file is not enough: the newest commits are in another file (`-wal`), and a copy made
during a write is damaged. For PostgreSQL there is `pg_dump`.
"""

import errno
import os
import sqlite3
import uuid
from contextlib import closing
from pathlib import Path

from service.cleanup import OnFailure
from service.disk import sync
from service.extensions import db


class BackupRefused(Exception):
    """The copy can't be made. The message says why."""


def copy_database(target: Path) -> int:
    """Write the current state of the database to a new file; returns its size in bytes.

    The file gets its name when it is completely on the disk. Until then, and after a kill, it is
    `<name>.part`. Cursors of the original are not valid in the copy: after a restore, new changes
    get the numbers of the changes made after the backup. Raises `BackupRefused`.
    """
    if db.engine.dialect.name != "sqlite":
        raise BackupRefused("this command is for SQLite only. Use pg_dump for PostgreSQL")
    if os.path.lexists(target):
        raise BackupRefused(f"{target}: {os.strerror(errno.EEXIST)}")
    part = target.with_name(f"{target.name}.part")
    try:
        # SQLite also writes into an empty file, and only the owner can read this one.
        os.close(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        raise BackupRefused(f"{part} exists: a backup is being made, or one was killed") from None
    except OSError as error:
        raise BackupRefused(f"{target.parent}: {error.strerror}") from None
    made = part
    try:
        # An incomplete file is no backup, so it is removed, even after Ctrl+C.
        with OnFailure(lambda: made.unlink(missing_ok=True)):
            _copy(str(db.engine.url.database), part)
            made = part.rename(target)
            sync(target.parent)
    except (sqlite3.Error, OSError) as error:
        raise BackupRefused(f"the database can't be copied: {error}") from None
    return target.stat().st_size


def _copy(source: str, target: Path) -> None:
    with closing(sqlite3.connect(source, isolation_level=None)) as connection:
        connection.execute("VACUUM INTO ?", [str(target)])
    with closing(sqlite3.connect(target)) as copy, copy:
        copy.execute("UPDATE feed SET epoch = ?", [uuid.uuid4().hex])
    sync(target)
