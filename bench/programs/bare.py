"""The floor: a relay on gevent and raw sockets, without framework, accounts or rows.

`python -m bench.programs.bare PORT UPSTREAM_PORT`. One write for each read; the text of
a delta is copied as it stands, still escaped. It does not verify tokens, parse JSON or handle
errors.
"""

import json
import sys
from collections.abc import Iterator

from gevent import socket
from gevent.server import StreamServer

from bench import limits, lookup, wire
from bench.programs.bare_board import Board
from bench.programs.bare_call import Calls

HEAD = (
    b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncache-control: no-cache\r\n"
    b"connection: close\r\ntransfer-encoding: chunked\r\n\r\n"
)
BEGIN = (
    b'data: {"type":"start","messageId":"m"}\n\ndata: {"type":"start-step"}\n\n'
    b'data: {"type":"text-start","id":"0"}\n\n'
)
DELTA = b'data: {"type":"text-delta","id":"0","delta":"%b"}\n\n'
END = (
    b'data: {"type":"text-end","id":"0"}\n\ndata: {"type":"finish-step"}\n\n'
    b'data: {"type":"finish"}\n\ndata: [DONE]\n\n'
)
OPENS, CLOSES = b'"text_delta","text":"', b'"}}'


class Relay:
    def __init__(self, upstream_port: int) -> None:
        self._address = ("127.0.0.1", upstream_port)
        self._idle: list[socket.socket] = []
        self._board = Board()
        self._calls = Calls(upstream_port)

    def __call__(self, client: socket.socket, _address: object) -> None:
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        received = b""
        while not (request := wire.head_and_body(received)):
            data = client.recv(1 << 16)
            if not data:
                return
            received += data
        if b" /api/records/" in request[0][:30]:
            self._board.serve(client, request)
            return
        if lookup.CALL_PREFIX in request[0][:30]:
            self._calls.serve(client, request)
            return
        _send(client, HEAD + wire.chunk(BEGIN))
        for deltas in self._ask(json.loads(request[1])["content"]):
            _send(client, wire.chunk(deltas))
        _send(client, wire.chunk(END) + wire.LAST_CHUNK)

    def _ask(self, text: str) -> Iterator[bytes]:
        """The UI chunks of a reply, joined for each read from the upstream."""
        upstream = self._idle.pop() if self._idle else socket.create_connection(self._address)
        upstream.sendall(_request(text))
        body, rest, head = wire.Chunked(), b"", b""
        while not body.ended:
            data = upstream.recv(1 << 16)
            if not head:
                head, _, data = data.partition(b"\r\n\r\n")
            *events, rest = (rest + body.feed(data)).split(b"\n\n")
            if deltas := b"".join(map(_delta, events)):
                yield deltas
        self._idle.append(upstream)


def _request(text: str) -> bytes:
    content = [{"type": "text", "text": text}]
    body = {"model": "bench", "max_tokens": 8192, "stream": True}
    body["messages"] = [{"role": "user", "content": content}]
    raw = json.dumps(body).encode()
    return b"POST /v1/messages HTTP/1.1\r\nhost: bench\r\ncontent-length: %d\r\n\r\n%b" % (
        len(raw),
        raw,
    )


def _delta(event: bytes) -> bytes:
    start = event.find(OPENS)
    if start < 0:
        return b""
    return DELTA % event[start + len(OPENS) : event.rindex(CLOSES)]


def _send(client: socket.socket, data: bytes) -> None:
    sent = client.send(data)
    if sent < len(data):
        client.sendall(data[sent:])


if __name__ == "__main__":
    limits.raise_descriptors()
    address = ("127.0.0.1", int(sys.argv[1]))
    StreamServer(address, Relay(int(sys.argv[2])), backlog=4096).serve_forever()
