"""The directory in which the workers of one master share their metrics and pending requests.

It is created before anything imports prometheus_client, which reads its path only once. Advisory
locks mark it as used. The workers inherit the locks, so they are released when the last of them
ends, in whatever way.
"""

import atexit
import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

PREFIX = "service-metrics-"
LOCK = "in-use"


def make() -> Path:
    """Create a directory, which is removed when this process exits, and remove unused ones."""
    for unused in _unused():
        shutil.rmtree(unused, ignore_errors=True)
    directory = Path(tempfile.mkdtemp(prefix=PREFIX))
    # The file is locked until every copy of the descriptor is closed. It gets its name only when it
    # is locked: another master that starts at this moment would take the directory for unused.
    unnamed = directory / f"{LOCK}.new"
    fcntl.flock(os.open(unnamed, os.O_CREAT | os.O_RDWR, 0o600), fcntl.LOCK_EX)
    unnamed.rename(directory / LOCK)
    # systemd deletes old files in /tmp even if processes have mapped them, but none in a directory
    # that is itself locked (tmpfiles.d, "Age").
    with suppress(OSError):  # a file system such as NFS can't lock directories
        fcntl.flock(os.open(directory, os.O_RDONLY), fcntl.LOCK_EX)
    atexit.register(_remove, directory, os.getpid())
    return directory


def _remove(directory: Path, owner: int) -> None:
    if os.getpid() == owner:  # not in a worker, which inherits this exit function
        shutil.rmtree(directory, ignore_errors=True)


def _unused() -> Iterator[Path]:
    for directory in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with suppress(OSError):  # it belongs to another user, or is in use
            descriptor = os.open(directory / LOCK, os.O_RDWR)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                yield directory
            finally:
                os.close(descriptor)
