"""What tests run against: databases, and the service as real processes."""

import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest
import requests
from click.testing import CliRunner, Result
from flask import Flask
from flask.cli import FlaskGroup

from config import ROOT, Settings, load
from service import assemble
from service.app_keys import APP_SETTINGS
from service.auth.tokens import issue
from service.extensions import db
from tests.database_reset import Template
from tests.forking import Forked, fork
from tests.postgres import Cluster, binaries

SECRET = "a-secret-for-tests-of-more-than-32-bytes"
ENVIRONMENT = {
    "AUTH_SECRET": SECRET,
    "TOKEN_ENCRYPTION_KEYS": "t:" + "A" * 43 + "=",
    "SANDBOX": "1",
    "SQLITE_SYNC": "normal",  # no test cuts the power
    # A few people make the load of many; tests/limits has the limits themselves.
    "TURNS_AT_ONCE": "1000",
    "CALLS_AT_ONCE": "1000",
    "JOBS_AT_ONCE": "10000",
}
ENVIRONMENT["OWNER_TOKEN"] = issue(load(ENVIRONMENT), "owner", "owner", 24 * 3600)

SHARED = "TESTS_DATABASES"  # the directory of the migrated databases that workers copy
FILE, DATA = "template.db", "data"  # of SQLite, and of a stopped cluster of PostgreSQL
FILES = 20  # of SQLite that are kept of tests that have ended
BACKGROUND = ("claim_watch", "waits", "watchers", "publisher", "feed")  # of an app

# For what does not depend on the database: once is enough.
on_sqlite = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)


def require(present: object, what: str) -> None:
    """Skip a test for what is not installed; fail it where REQUIRE_SERVICES is set."""
    if present:
        return
    if os.environ.get("REQUIRE_SERVICES"):
        pytest.fail(f"{what} is needed (REQUIRE_SERVICES is set)", pytrace=False)
    pytest.skip(f"install {what} to run this")


def settings_for(database_url: str, **values: object) -> Settings:
    """The settings of an app under test; values are as in the environment."""
    given = {name.upper(): str(value) for name, value in values.items()}
    return load({**ENVIRONMENT, "DATABASE_URL": database_url, **given})


class Databases:
    """Migrated once for each kind, then copied for each test.

    The workers of pytest-xdist copy what was migrated before they started, if `share` was called.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        shared = os.environ.get(SHARED)
        self._shared = Path(shared) if shared else None
        self.count = 0
        self._template: Path | None = None
        self._cluster: Cluster | None = None
        self._migrated: Template | None = None
        self._returned: list[str] = []  # by tests that have ended
        self._files: list[str] = []  # of SQLite, of these tests

    def make(self, kind: str) -> str:
        self.count += 1
        return self._sqlite() if kind == "sqlite" else self._postgresql()

    @property
    def cluster(self) -> Cluster:
        require(binaries(), "PostgreSQL (postgresql)")
        if self._cluster is None:
            data = self._shared and self._shared / DATA
            self._cluster = Cluster(data=data)
            self._cluster.start()
            if not data:
                self.migrate(self._cluster.create("migrated"))
            self._migrated = Template(self._cluster, "migrated")
        return self._cluster

    def migrate(self, url: str) -> None:
        flask(url, "db", "upgrade")

    def share(self) -> None:
        """Migrate both kinds, for these tests and the processes that they start."""
        self.make("sqlite")
        if binaries():
            self.cluster.stop()
            shutil.move(self.cluster.data, self.directory / DATA)
            self.cluster.remove()
        os.environ[SHARED] = str(self.directory)

    def remove(self) -> None:
        if self._cluster:
            self._cluster.remove()

    def _sqlite(self) -> str:
        if self._template is None:
            self._template = (self._shared or self.directory) / FILE
            if not self._shared:
                self.migrate(f"sqlite:///{self._template}")
        copy = self.directory / f"test-{self.count}.db"
        shutil.copy(self._template, copy)
        return f"sqlite:///{copy}"

    def _postgresql(self) -> str:
        while self._returned:
            url = self._returned.pop(0)
            if self.renew(url):
                return url
        return self.cluster.create(f"test_{self.count}", template="migrated")

    def renew(self, url: str) -> bool:
        """Empty a database of PostgreSQL; False if it is in use or was altered."""
        return self._migrated.restore(url)

    def give_back(self, url: str) -> None:
        """Let another test have it: to empty one of PostgreSQL takes less than to create one.

        The other test empties it, because the server now still ends the connections of this test.
        A file of SQLite, which may be in memory, is deleted some tests later for the same reason.
        """
        if url.startswith("postgresql"):
            self._returned.append(url)
            return
        self._files.append(url.removeprefix("sqlite:///"))
        if len(self._files) > FILES:
            path = self._files.pop(0)
            for end in ("", "-wal", "-shm"):
                Path(path + end).unlink(missing_ok=True)


def flask(database_url: str, *arguments: str, **values: str) -> str:
    """The standard output of `flask …` with these settings."""
    done = command(environment(database_url, **values), *arguments)
    assert done.exit_code == 0, done.output
    return done.stdout.strip()


def command(settings: Mapping[str, str], *arguments: str) -> Result:
    """What comes of `flask …`, which runs here: a process would import for a second or two."""
    with ExitStack() as stack:

        def app() -> Flask:
            made = assemble(load(settings))
            stack.callback(close, made)
            return made

        return CliRunner().invoke(FlaskGroup(create_app=app), arguments)


def close(app: Flask) -> None:
    """End what runs in the background of an app, and its connections, of which none may be in use.

    What stays open would fail another test, as soon as its memory is collected.
    """
    for name in BACKGROUND:
        app.extensions[name].stop()
    if APP_SETTINGS.of(app).sandbox:
        app.extensions["sandbox"].stop()
    app.extensions["upstream"].close()
    app.extensions["concurrency"].close()
    with app.app_context():
        in_use = db.engine.pool.checkedout()
        db.engine.dispose()
    assert in_use == 0, "a database connection was not given back"


def environment(database_url: str, **values: object) -> dict[str, str]:
    inherited = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    given = {name: str(value) for name, value in values.items()}
    return {**inherited, **ENVIRONMENT, "DATABASE_URL": database_url, **given}


def wait_for(condition: Callable[[], object], seconds: float = 15) -> None:
    """Until the condition holds; fails the test after `seconds`.

    The longer it takes, the less often it is asked: some conditions are questions to a service.
    """
    began = time.monotonic()
    while not condition():
        waited = time.monotonic() - began
        assert waited < seconds, "waited in vain"
        time.sleep(min(max(0.02, waited / 20), 0.5))


def free_port() -> int:
    """One that nobody is given by chance: other tests run beside these, and take any port."""
    while True:
        port = random.randrange(10_000, 30_000)  # below those that the system gives
        with socket.socket() as sock, suppress(OSError):
            sock.bind(("127.0.0.1", port))
            return port


class Service:
    """gunicorn with the production configuration, on a port of its own."""

    def __init__(self, database_url: str, **values: object) -> None:
        self.host = "127.0.0.1"
        self.port = free_port()
        self.directory = Path(tempfile.mkdtemp(prefix="service-run-"))
        self.log = self.directory / "log"
        self.database_url = database_url
        self._environment = environment(database_url, PORT=self.port, **values)
        self.process: subprocess.Popen | Forked | None = None

    @property
    def url(self) -> str:
        return f"http://{self.host}:{self.port}"

    def start(self, **changed: object) -> "Service":
        """Start with the settings of before, but for those that have changed."""
        self._environment |= {name: str(value) for name, value in changed.items()}
        self.process = fork(self._environment, self.log)
        self.wait()
        return self

    def execute(self, *prefix: str) -> "Service":
        """Start as in production: in a new interpreter. `prefix` is a command such as `prlimit`."""
        gunicorn = [sys.executable, "-m", "gunicorn", "-c", "gunicorn.conf.py", "wsgi:app"]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [*prefix, *gunicorn], cwd=ROOT, env=self._environment, stdout=log, stderr=log
            )
        self.wait()
        return self

    def stop(self, how: int = signal.SIGTERM, seconds: float = 40) -> None:
        if self.process:
            self.process.send_signal(how)
            self.process.wait(timeout=seconds)
            self.process = None

    @property
    def workers(self) -> list[int]:
        """The process ids of the workers, oldest first."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        return [int(pid) for pid in children.read_text().split()]

    @property
    def worker(self) -> int:
        """The process id of the only worker."""
        return self.workers[0]

    def kill_worker(self, how: int) -> None:
        """Signal the worker; back when gunicorn has put another in its place."""
        killed = self.worker
        os.kill(killed, how)
        wait_for(lambda: not Path(f"/proc/{killed}").exists())
        self.wait()

    def remove(self) -> None:
        self.stop(signal.SIGQUIT)
        shutil.rmtree(self.directory, ignore_errors=True)

    def __enter__(self) -> "Service":
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()

    def wait(self) -> None:
        """Until it is ready and has all its workers: gunicorn starts them one after the other."""
        deadline = time.monotonic() + 60
        count = int(self._environment.get("WEB_CONCURRENCY", 1))
        while time.monotonic() < deadline:
            assert self.process.poll() is None, self.log.read_text()
            try:
                ready = requests.get(f"{self.url}/readyz", timeout=5).status_code == 200
                if ready and len(self.workers) >= count:
                    return
            except requests.RequestException:
                pass  # also one that a busy machine answers too late
            time.sleep(0.05)
        raise AssertionError(self.log.read_text())
