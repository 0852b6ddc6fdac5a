"""Every peer by its name, made and started when a scenario first needs it."""

import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Self

from bench.databases import Databases
from bench.peers import Peer
from bench.peers.command import NODE, Upstream, bare, naive, node
from bench.peers.front import Front, nginx
from bench.peers.service import OurService, settings
from tests.certificates import make_certificate
from tests.npm import lack
from tests.postgres import binaries


class Peers:
    """The running peers, and the upstreams that they ask.

    A peer that can't be had here is left out, and a line says why.
    """

    def __init__(self, start: Callable[[Peer], None]) -> None:
        """`start` starts a peer and warms it up."""
        self._start = start
        self._stack = ExitStack()
        self._running: dict[str, Peer] = {}
        self._absent: set[str] = set()

    def __enter__(self) -> Self:
        directory = self._stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-"))
        self._databases = Databases(Path(directory))
        self._stack.callback(self._databases.remove)
        self._certified = Path(directory)
        self._upstreams: dict[bool, Upstream] = {}
        self._stack.callback(self.keep, ())
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def get(self, names: Iterable[str]) -> Mapping[str, Peer]:
        """The peers of a scenario, started; without those that can't be had."""
        return {name: peer for name in names if (peer := self._get(name))}

    def keep(self, names: Iterable[str]) -> None:
        """Stop the peers that no later scenario names."""
        for name in set(self._running) - set(names):
            self._running.pop(name).stop()

    def _get(self, name: str) -> Peer | None:
        if name == "direct":
            return self._upstream(tls=False)
        if name in self._running or name in self._absent:
            return self._running.get(name)
        if missing := self._missing(name):
            self._absent.add(name)
            print(f"{name} is left out: there is no {missing}", file=sys.stderr)
            return None
        peer = self._make(name)
        try:
            self._start(peer)
        except BaseException:
            peer.stop()
            raise
        self._running[name] = peer
        return peer

    def _missing(self, name: str) -> str | None:
        column, _, kind = name.partition("/")
        if kind in ("pg", "two"):
            return None if binaries() else "PostgreSQL"
        if kind == "nginx":
            return None if nginx() else "nginx"
        if kind == "tls" and (missing := self._no_certificate()):
            return missing
        return lack(NODE) if column == "node" else None

    def _no_certificate(self) -> str | None:
        if (self._certified / "certificate.pem").exists():
            return None
        try:
            make_certificate(self._certified)
        except (OSError, subprocess.CalledProcessError):
            return "OpenSSL's command"
        return None

    def _make(self, name: str) -> Peer:
        column, _, kind = name.partition("/")
        if kind == "nginx":
            return Front(name, self._make(column))
        upstream = self._upstream(tls=kind == "tls")
        certificate = str(self._certified / "certificate.pem") if kind == "tls" else ""
        match column:
            case "bare":
                return bare(name, upstream, certificate)
            case "naive":
                return naive(name, upstream, certificate)
            case "node":
                program = "calls.mjs" if kind == "hono" else "chat.mjs"
                return node(name, program, upstream, certificate)
        given = {**settings(upstream.url, certificate), **SPECIAL.get(kind, {})}
        database = "postgresql" if kind in ("pg", "two") else "sqlite"
        return OurService(name, database, self._databases, given)

    def _upstream(self, tls: bool) -> Upstream:
        if tls not in self._upstreams:
            name = "direct/tls" if tls else "direct"
            upstream = Upstream(name, self._certified if tls else None)
            upstream.start()
            self._stack.callback(upstream.stop)
            self._upstreams[tls] = upstream
        return self._upstreams[tls]


SPECIAL: Mapping[str, Mapping[str, object]] = {
    "two": {"WEB_CONCURRENCY": 2},
    "unsynced": {"SQLITE_SYNC": "normal"},
}
