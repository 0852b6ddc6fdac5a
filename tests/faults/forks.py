"""Processes over one PostgreSQL. Each does one piece of work, and is killed where a test says."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import gevent
import psycopg
from gevent.fileobject import FileObject

from config import ROOT
from tests.faults.stepping_proxy import SteppingProxy
from tests.load import database_rows
from tests.load.upstream import Model, Vendor
from tests.services import Databases, environment, wait_for

CREDITS = 1_000_000  # of each user: the holds of the dead must not use them up
LAPSE = (
    "UPDATE leases SET expires_at = now() - interval '1 second'",
    "UPDATE holds SET expires_at = now() - interval '1 second' WHERE state = 'open'",
    "UPDATE idempotency_keys SET held_until = now() - interval '1 second' WHERE answer IS NULL",
)
SESSIONS = """SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
    AND backend_type = 'client backend' AND pid <> pg_backend_pid()"""


class Forks:
    """Forks of a process of tests/faults/killable_work.py, whose settings are given."""

    def __init__(
        self,
        databases: Databases,
        url: str,
        proxy: SteppingProxy,
        upstreams: tuple[Model, Vendor],
        settings: dict[str, str],
    ) -> None:
        command = [sys.executable, "-m", "tests.faults.killable_work"]
        self._process = subprocess.Popen(
            command, cwd=ROOT, env=settings, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self._answers = FileObject(self._process.stdout, "rb")  # lets the proxy work meanwhile
        self._databases, self._url, self._proxy = databases, url, proxy
        self.model, self.vendor = upstreams
        self._send(settings)

    def run(self, action: str, *arguments: Any, number: int = 0, after: bool = False) -> Any:
        """What a fork has to say. None if it was killed, before or after the database carried out
        its message of that number.
        """
        self._proxy.arm(number, after)
        self._send([action, arguments])
        with gevent.Timeout(60):
            pid = int(self._answers.readline())
        said = gevent.spawn(self._answers.readline)
        gevent.wait([said, self._proxy.reached], timeout=60, count=1)
        if self._proxy.reached.is_set():
            os.kill(pid, signal.SIGKILL)
            # PostgreSQL may still carry out a COMMIT that the dead one has sent.
            wait_for(self._has_no_session)
        return json.loads(said.get(timeout=60))

    def _has_no_session(self) -> bool:
        with self._connect() as connection:
            return connection.execute(SESSIONS).fetchone() == (0,)

    def _connect(self) -> psycopg.Connection:
        return psycopg.connect(self._url.replace("+psycopg", ""), autocommit=True)

    @property
    def messages(self) -> int:
        """How many the last fork has sent."""
        return self._proxy.count

    def lapse(self) -> list[str]:
        """Let the claims, holds and keys of the dead lapse, and return the leases."""
        with self._connect() as connection:
            for statement in LAPSE:
                connection.execute(statement)
            return [row[0] for row in connection.execute("SELECT lease_id FROM leases")]

    def stored(self) -> database_rows.Stored:
        return database_rows.read(self._url)

    def renew(self) -> None:
        """Empty the database."""
        wait_for(lambda: self._databases.renew(self._url))

    def stop(self) -> None:
        self._process.stdin.close()
        self._process.wait(20)
        self._answers.close()

    def _send(self, value: Any) -> None:
        self._process.stdin.write(json.dumps(value).encode() + b"\n")
        self._process.stdin.flush()


@contextmanager
def run_forks(databases: Databases, url: str) -> Iterator[Forks]:
    """With a model and a vendor of their own."""
    with ExitStack() as stack:
        model, vendor = Model(), Vendor(0)
        stack.callback(model.stop)
        stack.callback(vendor.stop)
        proxy = SteppingProxy(databases.cluster.directory)
        stack.callback(proxy.stop)
        values = {"PROVIDER_A_BASE_URL": model.url, "PROVIDER_A_API_KEY": "key"}
        values |= {"EXA_BASE_URL": vendor.url, "EXA_API_KEY": "key"}
        proxied = url.replace(databases.cluster.directory, proxy.directory)
        settings = environment(proxied, STARTING_CREDITS=CREDITS, **values)
        forks = Forks(databases, url, proxy, (model, vendor), settings)
        stack.callback(forks.stop)
        yield forks
