"""A PostgreSQL cluster of the tests' own, so that they may cut, hang and restart it."""

import os
import pwd
import shutil
import signal
import subprocess
import time
from glob import glob
from pathlib import Path

import psycopg

from tests import memory_directories

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


class Cluster:
    """Listens on a Unix socket in a directory of its own, and perhaps at addresses of this machine.
    It trusts everybody and syncs nothing.
    """

    def __init__(self, addresses: str = "", data: Path | None = None) -> None:
        """`data` is the directory of a cluster that was stopped: this one begins as its copy."""
        found = binaries()
        assert found, "PostgreSQL is not installed"
        self.binaries = found
        self.directory = memory_directories.make_directory("service-pg-")
        self._user = self._owner()
        self.data = Path(self.directory, "data")
        if data:
            subprocess.run(["cp", "-a", data, self.data], check=True)  # with its owner
        else:
            self._initialize()
        self.addresses = addresses
        self.process: subprocess.Popen | None = None

    def _initialize(self) -> None:
        how = ["-U", "app", "-A", "trust", "--no-sync", "--encoding=UTF8", "--locale=C.UTF-8"]
        self.run("initdb", "-D", str(self.data), *how)
        with (self.data / "pg_hba.conf").open("a") as trusted:
            trusted.write("host all all samenet trust\n")

    def start(self) -> None:
        command = [
            self.binaries / "postgres",
            "-D",
            self.data,
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
            "-c",
            "autovacuum=off",  # it would go through all databases of the tests each minute
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
