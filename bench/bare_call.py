"""The floor of `proxy`: a call goes on to the upstream, and its answer comes back as it is."""

from gevent import socket

from bench import lookup, wire


class Calls:
    def __init__(self, upstream_port: int) -> None:
        self._address = ("127.0.0.1", upstream_port)
        self._idle: list[socket.socket] = []

    def serve(self, client: socket.socket, request: tuple[bytes, bytes]) -> None:
        """A connection's calls, one after the other."""
        given = b""
        while True:
            client.sendall(self._relayed(request[0]))
            while not (another := wire.head_and_body(given)):
                data = client.recv(1 << 16)
                if not data:
                    return
                given += data
            given, request = b"", another

    def _relayed(self, head: bytes) -> bytes:
        upstream = self._idle.pop() if self._idle else socket.create_connection(self._address)
        upstream.sendall(lookup.request(head))
        answer = b""
        while not wire.head_and_body(answer):
            answer += upstream.recv(1 << 16)
        self._idle.append(upstream)
        return answer
