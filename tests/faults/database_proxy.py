"""A proxy in front of PostgreSQL that can refuse, hang, or disconnect after a COMMIT."""

import socket
import tempfile
from pathlib import Path
from typing import Any, Literal

import gevent
from gevent.server import StreamServer

Mode = Literal["pass", "refuse", "hang", "cut-after-commit", "cut-before-commit"]


class DatabaseProxy:
    """Listen on a Unix socket, as PostgreSQL does, and forward to the socket of the cluster.

    A cut comes at the COMMIT of a transaction with the statement `marker` in it. With `hang_at`, a
    connection hangs from that statement on. After a cut the mode is `after`.
    """

    def __init__(self, cluster_directory: str) -> None:
        self.mode: Mode = "pass"
        self.after: Mode = "pass"
        self.marker = b"INSERT INTO turns"  # in transactions that are cut at COMMIT
        self.hang_at = b""
        self.cuts = 0
        self.cluster_directory = cluster_directory
        self._target = f"{cluster_directory}/.s.PGSQL.5432"
        self.directory = tempfile.mkdtemp(prefix="service-pgproxy-")
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        listener.bind(f"{self.directory}/.s.PGSQL.5432")
        listener.listen(50)
        self._open: set[socket.socket] = set()
        self._server = StreamServer(listener, self._serve)
        self._server.start()

    def make_database(self, databases: Any) -> str:
        """Make a database in the cluster and return its URL, which leads through the proxy."""
        url: str = databases.make("postgresql")
        return url.replace(self.cluster_directory, self.directory)

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
        if cut := self._forward(client, server, cut=True):
            back.kill()  # the client gets no answer to its COMMIT
            self._cut(server, cut)
        back.kill()
        self._open -= both
        client.close()
        server.close()

    def _forward(self, source: socket.socket, target: socket.socket, cut: bool = False) -> bytes:
        """Forward until a side closes. Returns the COMMIT to cut, if it stopped there, with the
        statements that were sent together with it."""
        is_marked = False
        try:
            while data := source.recv(65536):
                if self.hang_at and self.hang_at in data:
                    self.mode = "hang"
                while self.mode == "hang":
                    gevent.sleep(0.05)
                is_marked = is_marked or self.marker in data
                if cut and is_marked and self.mode.startswith("cut") and b"COMMIT" in data:
                    return data
                target.sendall(data)
        except OSError:
            pass
        return b""

    def _cut(self, server: socket.socket, commit: bytes) -> None:
        if self.mode == "cut-after-commit":
            server.sendall(commit)
            server.recv(1)
        self.set(self.after)
        self.cuts += 1

    def _cut_all(self) -> None:
        for sock in self._open:
            try:
                sock.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue
