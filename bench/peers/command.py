"""Peers that are a single command: the upstreams, and the relays in Python and on Node."""

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from bench.limits import CLIENT_CORE, SERVER_CORE, pinned
from bench.people import People, Question
from config import ROOT
from tests.services import SECRET, free_port

START_SECONDS = 20
NODE = ROOT / "bench/programs/node"


class Command:
    """A process that takes its port as an argument, where the command says PORT."""

    path = "/api/ai/chat"
    core = SERVER_CORE

    def __init__(self, name: str, *command: str, **values: str) -> None:
        self.name = name
        self.port = 0
        self.beside: Sequence[int] = ()
        self._command = command
        self._environment = {**os.environ, "PYTHONPATH": str(ROOT), **values}
        self._process: subprocess.Popen | None = None

    @property
    def pid(self) -> int:
        assert self._process
        return self._process.pid

    def start(self) -> None:
        self.port = free_port()
        command = [part.replace("PORT", str(self.port)) for part in self._command]
        with pinned(self.core):
            # Not in the project's directory, where gunicorn would read gunicorn.conf.py.
            self._process = subprocess.Popen(command, cwd=ROOT / "bench", env=self._environment)
        wait_for(self.port, self._process)

    def stop(self) -> None:
        if self._process:
            self._process.terminate()
            self._process.wait()
            self._process = None

    def requests(self, questions: Sequence[Question]) -> list[str]:
        return [People.request(self.path, "chat", question) for question in questions]


class Upstream(Command):
    """A stand-in for the model providers; with a folder, one with the certificate in it."""

    path = "/v1/messages"
    core = CLIENT_CORE

    def __init__(self, name: str, certified: Path | None = None) -> None:
        folder = [str(certified)] if certified else []
        super().__init__(name, sys.executable, "-m", "bench.upstream", "PORT", *folder)
        self._scheme = "https" if certified else "http"

    @property
    def url(self) -> str:
        return f"{self._scheme}://127.0.0.1:{self.port}"


def bare(name: str, upstream: Upstream, certificate: str) -> Command:
    program = [sys.executable, "-m", "bench.programs.bare", "PORT", str(upstream.port)]
    return Command(name, *program, *([certificate] if certificate else []))


def naive(name: str, upstream: Upstream, certificate: str) -> Command:
    arguments = "-m gunicorn -k gevent -w 1 --worker-connections 12000 --no-control-socket"
    arguments += " --log-level warning -b 127.0.0.1:PORT bench.programs.naive:app"
    values = {"UPSTREAM_URL": upstream.url, "AUTH_SECRET": SECRET}
    if certificate:
        values["REQUESTS_CA_BUNDLE"] = certificate
    return Command(name, sys.executable, *arguments.split(), **values)


def node(name: str, program: str, upstream: Upstream, certificate: str) -> Command:
    values = {"NODE_ENV": "production", "AUTH_SECRET": SECRET}
    if certificate:
        values["NODE_EXTRA_CA_CERTS"] = certificate
    executable = shutil.which("node") or "node"
    return Command(name, executable, str(NODE / program), "PORT", upstream.url, **values)


def wait_for(port: int, process: subprocess.Popen) -> None:
    """Until something listens."""
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
