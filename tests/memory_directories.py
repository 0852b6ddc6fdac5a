"""Directories in memory, for databases and for the tests' own files.

On a disk, PostgreSQL would need half of its time for creating many small files. With SQLite, each
app writes a log that is synced and deleted when the app is closed. A copy of the source tree has
3 300 files, which take a second or two of a processor on a disk, and 0.3 s in memory.
"""

import os
import re
import shutil
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import pytest

MEMORY = Path("/dev/shm")
GIB = 1 << 30  # bytes; what the databases of a worker grow to
TESTS = "service-tests-"
NAMES = "service-pg-", "service-sqlite-", TESTS
OWNER = "owner.pid"  # the file with the process that uses the directory
OLD = 3600  # seconds


def make_directory(name: str) -> str:
    """In memory, if the databases of all workers have room there and nobody has chosen a place."""
    if not _is_usable():
        return tempfile.mkdtemp(prefix=name)
    _remove_leftovers()
    return tempfile.mkdtemp(prefix=name, dir=MEMORY)


def make_own_directory(name: str) -> Path:
    """One that is kept as long as this process runs."""
    directory = Path(make_directory(name))
    (directory / OWNER).write_text(str(os.getpid()))
    return directory


def keep_files(config: pytest.Config) -> None:
    """Let the tests' temporary directories be in memory, where programs may be executed there.

    They are removed at the end. `--basetemp` chooses another place, which is kept.
    """
    if config.option.basetemp or not _is_usable() or os.statvfs(MEMORY).f_flag & os.ST_NOEXEC:
        return
    directory = make_own_directory(TESTS)
    config.option.basetemp = str(directory / "t")  # pytest makes it
    config.add_cleanup(lambda: shutil.rmtree(directory, ignore_errors=True))


def _is_usable() -> bool:
    needed = (int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")) + 2) * GIB
    fits = os.access(MEMORY, os.W_OK | os.X_OK) and _free_memory() > needed
    return fits and "TMPDIR" not in os.environ


def _free_memory() -> int:
    """Bytes, as the machine, the file system in memory and this process's group allow."""
    known = re.search(r"MemAvailable: +(\d+) kB", Path("/proc/meminfo").read_text())
    group = Path("/sys/fs/cgroup/memory.max")
    limit = group.read_text().strip() if group.exists() else "max"
    return min(
        int(known[1]) << 10 if known else 0,
        shutil.disk_usage(MEMORY).free,
        int(limit) if limit.isdigit() else sys.maxsize,
    )


def _remove_leftovers() -> None:
    """Those of runs that were killed would take memory until the machine restarts."""
    for directory in (found for name in NAMES for found in MEMORY.glob(f"{name}*")):
        with suppress(OSError):
            is_old = time.time() - directory.stat().st_mtime > OLD
            if is_old and not _is_running(directory):
                shutil.rmtree(directory)


def _is_running(directory: Path) -> bool:
    processes = (directory / name for name in ("data/postmaster.pid", OWNER))
    return any(
        Path("/proc", process.read_text().split()[0]).exists()
        for process in processes
        if process.exists()
    )
