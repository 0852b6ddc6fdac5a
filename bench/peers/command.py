"""Peers that are a single command: the upstream and the relays in Python."""

import os
import socket
import subprocess
import sys
import time

from bench.limits import CLIENT_CORE, SERVER_CORE, pinned
from bench.people import People
from config import ROOT
from tests.services import SECRET, free_port

START_SECONDS = 20


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
    arguments = ("bench.programs.bare", "PORT", str(upstream_port))
    return Command("bare", "/api/ai/chat", SERVER_CORE, *arguments)


def naive(upstream_port: int) -> Command:
    arguments = "gunicorn -k gevent -w 1 --worker-connections 5000 --no-control-socket"
    arguments += " --log-level warning -b 127.0.0.1:PORT bench.programs.naive:app"
    url = f"http://127.0.0.1:{upstream_port}"
    environment = {"UPSTREAM_URL": url, "AUTH_SECRET": SECRET}
    return Command("naive", "/api/ai/chat", SERVER_CORE, *arguments.split(), **environment)


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
