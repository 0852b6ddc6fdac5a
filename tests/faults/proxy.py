"""A proxy in front of PostgreSQL, which can refuse, hang, or cut after COMMIT was sent."""

import socket
import tempfile
from pathlib import Path
from typing import Literal

import gevent
from gevent.server import StreamServer

Mode = Literal["pass", "refuse", "hang", "cut-after-commit", "cut-before-commit"]


class DatabaseProxy:
    """Listens on a Unix socket of its own, as PostgreSQL does, and forwards to the cluster's."""

    def __init__(self, cluster_directory: str) -> None:
        self.mode: Mode = "pass"
        self.cuts = 0
        self.cut_at = b"INSERT INTO turns"  # which transaction's COMMIT is cut
        self._target = f"{cluster_directory}/.s.PGSQL.5432"
        self.directory = tempfile.mkdtemp(prefix="service-pgproxy-")
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        listener.bind(f"{self.directory}/.s.PGSQL.5432")
        listener.listen(50)
        self._open: set[socket.socket] = set()
        self._server = StreamServer(listener, self._serve)
        self._server.start()

    def stop(self) -> None:
        self._cut_all()
        self._server.stop(timeout=0)
        Path(f"{self.directory}/.s.PGSQL.5432").unlink(missing_ok=True)
        Path(self.directory).rmdir()

    def set(self, mode: Mode) -> None:
        self.mode = mode
        if mode == "refuse":
            self._cut_all()

    def _serve(self, client: socket.socket, _address: object) -> None:
        if self.mode == "refuse":
            client.close()
            return
        server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        server.connect(self._target)
        both = {client, server}
        self._open |= both
        back = gevent.spawn(self._forward, server, client)
        if self._forward(client, server, cut=True):
            back.kill()  # the client never hears what became of its COMMIT
            self._cut(server)
        back.kill()
        self._open -= both
        client.close()
        server.close()

    def _forward(self, source: socket.socket, target: socket.socket, cut: bool = False) -> bool:
        """Until either side closes; or, true, until the COMMIT at which to cut."""
        writes_rows = False
        try:
            while data := source.recv(65536):
                while self.mode == "hang":
                    gevent.sleep(0.05)
                writes_rows = writes_rows or self.cut_at in data
                if cut and writes_rows and self.mode.startswith("cut") and b"COMMIT" in data:
                    return True
                target.sendall(data)
        except OSError:
            pass
        return False

    def _cut(self, server: socket.socket) -> None:
        if self.mode == "cut-after-commit":
            server.sendall(b"Q\x00\x00\x00\x0bCOMMIT\x00")
            server.recv(1)
        self.mode = "pass"
        self.cuts += 1

    def _cut_all(self) -> None:
        for sock in self._open:
            try:
                sock.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue
