"""A PostgreSQL cluster of the tests' own, so that they may cut, hang and restart it."""

import os
import pwd
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from glob import glob
from pathlib import Path

import psycopg

MEMORY = Path("/dev/shm")
GIB = 1 << 30  # bytes; what a cluster grows to
NAME = "service-pg-"
OLD = 3600  # seconds

# Of the database that is asked. Within one transaction PostgreSQL gives the same answer again.
LOCK_WAITS = """SELECT count(*) FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock'"""


def binaries() -> Path | None:
    """Where initdb is; Debian keeps it off the PATH."""
    found = shutil.which("initdb")
    if found:
        return Path(found).resolve().parent
    installed = sorted(glob("/usr/lib/postgresql/*/bin/initdb"))
    return Path(installed[-1]).parent if installed else None


def make_directory() -> str:
    """In memory, if there is room for the clusters of all workers and nobody has chosen a place.

    On a disk the making of so many small files takes half of the server's time.
    """
    needed = (int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")) + 2) * GIB
    fits = os.access(MEMORY, os.W_OK | os.X_OK) and _free_memory() > needed
    if not fits or "TMPDIR" in os.environ:
        return tempfile.mkdtemp(prefix=NAME)
    _remove_leftovers()
    return tempfile.mkdtemp(prefix=NAME, dir=MEMORY)


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
    for directory in MEMORY.glob(f"{NAME}*"):
        with suppress(OSError):
            is_old = time.time() - directory.stat().st_mtime > OLD
            if is_old and not _is_running(directory):
                shutil.rmtree(directory)


def _is_running(directory: Path) -> bool:
    process = directory / "data/postmaster.pid"
    return process.exists() and Path("/proc", process.read_text().split()[0]).exists()


class Cluster:
    """Listens on a Unix socket in a directory of its own, and perhaps at addresses of this machine.
    It trusts everybody and syncs nothing.
    """

    def __init__(self, addresses: str = "") -> None:
        found = binaries()
        assert found, "PostgreSQL is not installed"
        self.binaries = found
        self.directory = make_directory()
        self._user = self._owner()
        self.run(
            "initdb",
            "-D",
            f"{self.directory}/data",
            "-U",
            "app",
            "-A",
            "trust",
            "--no-sync",
            "--encoding=UTF8",
            "--locale=C.UTF-8",
        )
        self.addresses = addresses
        with open(f"{self.directory}/data/pg_hba.conf", "a") as trusted:
            trusted.write("host all all samenet trust\n")
        self.process: subprocess.Popen | None = None

    def start(self) -> None:
        command = [
            self.binaries / "postgres",
            "-D",
            f"{self.directory}/data",
            "-k",
            self.directory,
            "-c",
            f"listen_addresses={self.addresses}",
            "-c",
            "fsync=off",
            "-c",
            "synchronous_commit=off",
            "-c",
            "max_connections=200",
            "-c",
            "max_wal_size=128MB",
        ]
        with open(f"{self.directory}/log", "ab") as log:
            self.process = subprocess.Popen(
                command, stdout=log, stderr=log, cwd=self.directory, **self._user
            )
        self._wait()

    def stop(self, how: int = signal.SIGINT) -> None:
        """SIGINT is a fast shutdown, SIGQUIT a crash."""
        if self.process:
            self.process.send_signal(how)
            self.process.wait(timeout=30)
            self.process = None

    def remove(self) -> None:
        self.stop()
        shutil.rmtree(self.directory, ignore_errors=True)

    def url(self, database: str) -> str:
        return f"postgresql+psycopg://app@/{database}?host={self.directory}"

    def create(self, database: str, template: str = "template1") -> str:
        self.execute(f'CREATE DATABASE "{database}" TEMPLATE "{template}"')
        return self.url(database)

    def connect(self, database: str) -> psycopg.Connection:
        return psycopg.connect(f"host={self.directory} user=app dbname={database}")

    def execute(self, statement: str, database: str = "postgres") -> str:
        """Return the rows as lines, with their columns divided by `|`.

        psql does the same, but its start takes longer than to create a database.
        """
        with self.connect(database) as connection:
            connection.autocommit = True
            done = connection.execute(statement)
            rows = done.fetchall() if done.description else []
        return "\n".join("|".join(map(str, row)) for row in rows)

    def _owner(self) -> dict:
        """PostgreSQL refuses to run as root."""
        if os.geteuid() != 0:
            return {}
        user = pwd.getpwnam("postgres")
        os.chown(self.directory, user.pw_uid, user.pw_gid)
        return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}

    def run(self, name: str, *arguments: str) -> str:
        done = subprocess.run(
            [self.binaries / name, *arguments],
            cwd=self.directory,
            capture_output=True,
            text=True,
            **self._user,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def _wait(self) -> None:
        ready = [self.binaries / "pg_isready", "-q", "-h", self.directory, "-U", "app"]
        for _ in range(200):
            if subprocess.run(ready, cwd=self.directory).returncode == 0:
                return
            time.sleep(0.05)
        raise AssertionError(Path(f"{self.directory}/log").read_text())
