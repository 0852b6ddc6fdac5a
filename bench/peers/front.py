"""nginx in front of a peer, with the configuration of deploy/ but for TLS."""

import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from bench.limits import SERVER_CORE, pinned
from bench.peers import Peer
from bench.peers.command import wait_for
from bench.people import Question
from config import ROOT
from tests.services import free_port


def nginx() -> str | None:
    return shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")


class Front:
    """The peer behind nginx, whose processes count as beside it."""

    def __init__(self, name: str, peer: Peer) -> None:
        self.name = name
        self.port = 0
        self._peer = peer
        self._process: subprocess.Popen | None = None
        self._directory: Path | None = None

    @property
    def pid(self) -> int:
        return self._peer.pid

    @property
    def beside(self) -> Sequence[int]:
        assert self._process
        return (self._process.pid,)

    def start(self) -> None:
        self._peer.start()
        self.port = free_port()
        self._directory = Path(tempfile.mkdtemp(prefix="bench-nginx-"))
        configuration = self._directory / "nginx.conf"
        configuration.write_text(_configuration(self._directory, self.port, self._peer.port))
        program = nginx()
        assert program
        with pinned(SERVER_CORE):
            self._process = subprocess.Popen([program, "-p", self._directory, "-c", configuration])
        wait_for(self.port, self._process)

    def stop(self) -> None:
        if self._process:
            self._process.terminate()
            self._process.wait()
            self._process = None
        if self._directory:
            shutil.rmtree(self._directory, ignore_errors=True)
        self._peer.stop()

    def requests(self, questions: Sequence[Question]) -> list[str]:
        return self._peer.requests(questions)


def _configuration(directory: Path, port: int, peer_port: int) -> str:
    (directory / "site.conf").write_text(_site(directory, port, peer_port))
    return (
        f"daemon off; pid {directory}/pid; error_log {directory}/error.log;"
        f"events {{ worker_connections 4096; }} http {{ client_body_temp_path {directory}/body;"
        f"proxy_temp_path {directory}/proxy; include {directory}/site.conf; }}"
    )


def _site(directory: Path, port: int, peer_port: int) -> str:
    """deploy/nginx.conf without TLS, because the load generator has none."""
    text = (ROOT / "deploy/nginx.conf").read_text()
    text = re.sub(r"^ *ssl_.*\n", "", text, flags=re.MULTILINE)
    changes = {
        "listen 443 ssl http2;": f"listen 127.0.0.1:{port};",
        "listen 80;": f"listen 127.0.0.1:{free_port()};",
        "127.0.0.1:8000": f"127.0.0.1:{peer_port}",
        "/var/log/nginx/": f"{directory}/",
    }
    for old, new in changes.items():
        assert old in text, old
        text = text.replace(old, new)
    return text
