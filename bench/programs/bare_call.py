"""The floor of `proxy`: forwards a call to the upstream and its answer unchanged to the client."""

from gevent import socket

from bench import lookup, wire


class Calls:
    def __init__(self, upstream_port: int) -> None:
        self._address = ("127.0.0.1", upstream_port)
        self._idle: list[socket.socket] = []

    def serve(self, client: socket.socket, request: tuple[bytes, bytes]) -> None:
        """Serve the calls of one connection, one after the other."""
        received = b""
        while True:
            client.sendall(self._forward(request[0]))
            while not (another := wire.head_and_body(received)):
                data = client.recv(1 << 16)
                if not data:
                    return
                received += data
            received, request = b"", another

    def _forward(self, head: bytes) -> bytes:
        upstream = self._idle.pop() if self._idle else socket.create_connection(self._address)
        upstream.sendall(lookup.request(head))
        answer = b""
        while not wire.head_and_body(answer):
            answer += upstream.recv(1 << 16)
        self._idle.append(upstream)
        return answer
