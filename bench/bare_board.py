"""The floor of `changes`: what a write says goes to every socket, in one send for each."""

from gevent import socket

from bench import frames, wire

ANSWER = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}"


class Board:
    def __init__(self) -> None:
        self._subscribers: list[socket.socket] = []

    def serve(self, client: socket.socket, request: tuple[bytes, bytes]) -> None:
        if request[0].startswith(b"GET "):
            self._subscribe(client)
        else:
            self._write(client, request[1])

    def _subscribe(self, client: socket.socket) -> None:
        client.sendall(frames.UPGRADED)
        client.recv(1 << 16)
        client.sendall(frames.frame(b'{"type":"snapshot"}'))
        self._subscribers.append(client)
        client.recv(1)  # until it leaves
        self._subscribers.remove(client)

    def _write(self, client: socket.socket, body: bytes) -> None:
        """A connection's writes, each answered when it has been told to all."""
        given = b""
        while True:
            message = frames.change(body)
            for subscriber in self._subscribers:
                subscriber.send(message)
            client.sendall(ANSWER)
            while not (request := wire.head_and_body(given)):
                data = client.recv(1 << 16)
                if not data:
                    return
                given += data
            given, body = b"", request[1]
