"""The floor of `changes`: sends what was written to every socket, one send per socket."""

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
        client.recv(1)  # until it disconnects
        self._subscribers.remove(client)

    def _write(self, client: socket.socket, body: bytes) -> None:
        """Serve the writes of one connection; each is answered after all sends."""
        received = b""
        while True:
            message = frames.change(body)
            for subscriber in self._subscribers:
                subscriber.send(message)
            client.sendall(ANSWER)
            while not (request := wire.head_and_body(received)):
                data = client.recv(1 << 16)
                if not data:
                    return
                received += data
            received, body = b"", request[1]
