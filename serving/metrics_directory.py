"""The directory in which the workers of one master share their metrics and pending requests.

It is made before anything imports prometheus_client, which looks for it once. An advisory lock
marks it as used. The workers inherit the lock, so it ends with the last of them, however they end.
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
    """Make a directory, which is removed when this process exits, and remove unused ones."""
    for unused in _unused():
        shutil.rmtree(unused, ignore_errors=True)
    directory = Path(tempfile.mkdtemp(prefix=PREFIX))
    descriptor = os.open(directory / LOCK, os.O_CREAT | os.O_RDWR, 0o600)
    fcntl.flock(descriptor, fcntl.LOCK_EX)  # held for as long as the descriptor is open somewhere
    atexit.register(_remove, directory, os.getpid())
    return directory


def _remove(directory: Path, owner: int) -> None:
    if os.getpid() == owner:  # not a worker, which inherits what runs at exit
        shutil.rmtree(directory, ignore_errors=True)


def _unused() -> Iterator[Path]:
    for directory in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with suppress(OSError):  # somebody else's
            descriptor = os.open(directory / LOCK, os.O_RDWR)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                yield directory
            finally:
                os.close(descriptor)
