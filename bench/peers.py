"""The processes of a run: the upstream, and the peers that relay it."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from typing import Protocol

from bench.limits import CLIENT_CORE, SERVER_CORE, pinned
from bench.people import People
from config import ROOT
from tests.services import SECRET, Databases, Service, free_port

START_SECONDS = 20


class Peer(Protocol):
    """A measured server: the process tree below `pid`, which listens on `port`."""

    name: str
    port: int

    @property
    def pid(self) -> int: ...

    def start(self) -> None: ...

    def stop(self) -> None: ...

    def requests(self, text: str, count: int) -> list[str]:
        """Complete HTTP requests with `text` as the question, prepared before the measurement."""


class Command:
    """A Python process that takes its port as an argument."""

    def __init__(self, name: str, path: str, core: int, *arguments: str, **values: str) -> None:
        self.name = name
        self.port = 0
        self._path = path
        self._core = core
        self._arguments = arguments
        self._environment = {**os.environ, "PYTHONPATH": str(ROOT), **values}
        self._process: subprocess.Popen | None = None

    @property
    def pid(self) -> int:
        assert self._process
        return self._process.pid

    def start(self) -> None:
        self.port = free_port()
        command = [part.replace("PORT", str(self.port)) for part in self._arguments]
        with pinned(self._core):
            # Not in the project's directory, where gunicorn would read gunicorn.conf.py.
            self._process = subprocess.Popen(
                [sys.executable, "-m", *command], cwd=ROOT / "bench", env=self._environment
            )
        _wait_for(self.port, self._process)

    def stop(self) -> None:
        if self._process:
            self._process.kill() if self._arguments[0] != "gunicorn" else self._process.terminate()
            self._process.wait()
            self._process = None

    def requests(self, text: str, count: int) -> list[str]:
        return [People.request(self._path, "chat", text) for _ in range(count)]


def upstream() -> Command:
    return Command("direct", "/v1/messages", CLIENT_CORE, "bench.upstream", "PORT")


def bare(upstream_port: int) -> Command:
    arguments = ("bench.bare", "PORT", str(upstream_port))
    return Command("bare", "/api/ai/chat", SERVER_CORE, *arguments)


def naive(upstream_port: int) -> Command:
    arguments = "gunicorn -k gevent -w 1 --worker-connections 5000 --no-control-socket"
    arguments += " --log-level warning -b 127.0.0.1:PORT bench.naive:app"
    url = f"http://127.0.0.1:{upstream_port}"
    environment = {"UPSTREAM_URL": url, "AUTH_SECRET": SECRET}
    return Command("naive", "/api/ai/chat", SERVER_CORE, *arguments.split(), **environment)


class OurService:
    """The service with its production configuration, on a database of its own."""

    def __init__(self, name: str, kind: str, upstream_port: int, databases: Databases) -> None:
        self.name = name
        self.port = 0
        self._kind = kind
        self._settings = settings(upstream_port)
        self._databases = databases
        self._service: Service | None = None
        self._people: People | None = None

    @property
    def pid(self) -> int:
        assert self._service
        assert self._service.process
        return self._service.process.pid

    def start(self) -> None:
        self._service = Service(self._databases.make(self._kind), **self._settings)
        with pinned(SERVER_CORE):
            self._service.execute()
        self.port = self._service.port
        self._people = People(self.port)

    def stop(self) -> None:
        if self._service:
            self._service.remove()
            self._service = None

    def requests(self, text: str, count: int) -> list[str]:
        assert self._people
        return self._people.requests(text, count)


def settings(upstream_port: int) -> Mapping[str, object]:
    """The settings that differ from the tests'; a version ignores those that it does not know."""
    return {
        "SANDBOX": 0,
        "EXTENSIONS": "bench.board",
        "WEB_CONCURRENCY": 1,
        "STARTING_CREDITS": 100_000_000,
        "PROVIDER_A_BASE_URL": f"http://127.0.0.1:{upstream_port}",
        "PROVIDER_A_API_KEY": "x",
        "OPEN_METEO_GEOCODING_BASE_URL": f"http://127.0.0.1:{upstream_port}",
    }


def _wait_for(port: int, process: subprocess.Popen) -> None:
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end:
        if process.poll() is not None:
            raise RuntimeError(f"{process.args} ended")
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return
        except ConnectionRefusedError:
            time.sleep(0.05)
    raise RuntimeError(f"{process.args} does not listen")
