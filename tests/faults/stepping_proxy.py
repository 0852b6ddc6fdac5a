"""A proxy in front of PostgreSQL that stops at a message of a client, for it to be killed there."""

import socket
import tempfile
from pathlib import Path

import gevent
from gevent.event import Event
from gevent.server import StreamServer


class SteppingProxy:
    """Counts what clients send. A statement is one message or two, a COMMIT another.

    Armed, it keeps the message `number` back (`after` false), or lets PostgreSQL carry it out and
    keeps the answer back (`after` true); `reached` is set then. The client has to be killed.
    """

    def __init__(self, cluster_directory: str) -> None:
        self.count = 0
        self.reached = Event()
        self._number, self._after, self._holds = 0, False, False
        self._timer = gevent.spawn(int)
        self._target = f"{cluster_directory}/.s.PGSQL.5432"
        self.directory = tempfile.mkdtemp(prefix="service-pgsteps-")
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        listener.bind(f"{self.directory}/.s.PGSQL.5432")
        listener.listen(50)
        self._server = StreamServer(listener, self._serve)
        self._server.start()

    def arm(self, number: int, after: bool) -> None:
        """Begin to count anew. 0 never stops."""
        self.count, self._number, self._after, self._holds = 0, number, after, False
        gevent.kill(self._timer)
        self.reached.clear()

    def stop(self) -> None:
        self._server.stop(timeout=0)
        Path(f"{self.directory}/.s.PGSQL.5432").unlink(missing_ok=True)
        Path(self.directory).rmdir()

    def _serve(self, client: socket.socket, _address: object) -> None:
        with client, socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as server:
            server.connect(self._target)
            back = gevent.spawn(self._answer, server, client)
            try:
                self._ask(client, server)
            finally:
                back.kill()

    def _ask(self, client: socket.socket, server: socket.socket) -> None:
        """Forward until the client is gone."""
        try:
            while data := client.recv(65536):
                self.count += 1
                if self.count == self._number:
                    self._holds = True
                    # PostgreSQL does not answer each message.
                    self._timer = gevent.spawn_later(0.3 if self._after else 0, self.reached.set)
                if not self._holds or (self._after and self.count == self._number):
                    server.sendall(data)
        except OSError:
            pass

    def _answer(self, server: socket.socket, client: socket.socket) -> None:
        try:
            while data := server.recv(65536):
                if self._holds:
                    self.reached.set()
                else:
                    client.sendall(data)
        except OSError:
            pass
