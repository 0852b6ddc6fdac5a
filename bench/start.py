"""What a start costs, and the memory of a worker that serves nobody."""

import socket
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench import accounts, figures
from bench.accounts import Usage
from bench.databases import Databases
from bench.figures import Figure
from bench.limits import SERVER_CORE, pinned
from bench.peers.command import Command, Upstream, bare, naive
from bench.peers.service import settings
from bench.scenarios import Scenario
from tests.postgres import binaries
from tests.services import Service

NAME = "start"
SETTLE = 1.0  # seconds until what a worker does after its start is over
NOBODY = Upstream("direct")
NOBODY.port = 9  # where nobody listens: nothing is sent to it


@dataclass(frozen=True)
class StartResult:
    """Seconds from exec to the first answer, of all processes; MB of the worker alone."""

    cpu: float
    wall: float
    resident: float
    anonymous: float


def figures_on(database: str) -> tuple[Figure, ...]:
    label = f"CPU s from exec to ready, {database}"
    return (
        Figure(NAME, label, lambda r: r.cpu, goal=1.5, per=""),
        Figure(NAME, "… wall s", lambda r: r.wall),
        Figure(NAME, "… MB resident of the idle worker", lambda r: r.resident, goal=110, per=""),
        Figure(NAME, "… of them anonymous", lambda r: r.anonymous),
    )


FIGURES = {"sqlite": figures_on("SQLite"), "postgresql": figures_on("PostgreSQL")}


def rows(count: int, databases: Databases) -> list[tuple[str, ...]]:
    """The rows of the table, from `count` rounds."""
    kinds = [kind for kind in FIGURES if kind == "sqlite" or binaries()]
    try:
        rounds = {kind: [_round(kind, databases) for _ in range(count)] for kind in kinds}
    finally:
        databases.remove()
    scenario = Scenario(NAME, 1, 0, 1, rounds=count)
    return [figures.row(one, scenario, rounds[kind]) for kind in kinds for one in FIGURES[kind]]


def _round(kind: str, databases: Databases) -> Mapping[str, Any]:
    relays = (bare("bare", NOBODY, ""), naive("naive", NOBODY, ""))
    return {"service": _service(kind, databases), **{one.name: _relay(one) for one in relays}}


def _service(kind: str, databases: Databases) -> StartResult:
    with Service(databases.make(kind), **settings(NOBODY.url, "")) as service:
        began = time.monotonic()
        with pinned(SERVER_CORE):
            service.execute()
        assert service.process
        return _result(service.process.pid, began)


def _relay(peer: Command) -> StartResult:
    began = time.monotonic()
    peer.start()
    try:
        _ask(peer.port)
        return _result(peer.pid, began)
    finally:
        peer.stop()


def _ask(port: int) -> None:
    """Until it answers or hangs up: gunicorn listens before its worker is there."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as sock:
        sock.sendall(b"GET /readyz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
        sock.recv(1)


def _result(pid: int, began: float) -> StartResult:
    wall, cpu = time.monotonic() - began, accounts.usage(pid).cpu_since(Usage())
    time.sleep(SETTLE)
    worker = (accounts.children(pid) or [pid])[-1]
    return StartResult(cpu / 1e9, wall, _resident(worker), accounts.anonymous(worker) / 1024)


def _resident(pid: int) -> float:
    """Source: proc_pid_status(5)."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS:")) / 1024
