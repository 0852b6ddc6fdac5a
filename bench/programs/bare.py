"""The floor: a relay on gevent and raw sockets, without framework, accounts or rows.

`python -m bench.programs.bare PORT UPSTREAM_PORT [CERTIFICATE]`, which is that of an upstream with
TLS. One write for each read; the text of a delta is copied as it stands, still escaped. It does not
verify tokens, parse JSON or handle errors.
"""

import json
import sys
from collections.abc import Iterator

from gevent import socket, ssl
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
# What comes before and after the text of a delta.
ANTHROPIC = (b'"text_delta","text":"', b'"}}')
OPENAI = (b'"delta":{"content":"', b'"},"finish_reason"')


class Relay:
    def __init__(self, upstream_port: int, certificate: str | None) -> None:
        self._address = ("127.0.0.1", upstream_port)
        self._tls = _tls(certificate) if certificate else None
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
        if not request[1]:  # the start's question whether somebody answers: hang up
            return
        _send(client, HEAD + wire.chunk(BEGIN))
        for deltas in self._ask(json.loads(request[1])):
            _send(client, wire.chunk(deltas))
        _send(client, wire.chunk(END) + wire.LAST_CHUNK)

    def _ask(self, question: dict[str, str]) -> Iterator[bytes]:
        """The UI chunks of a reply, joined for each read from the upstream."""
        path, marks = "/v1/messages", ANTHROPIC
        if question.get("modelId"):
            path, marks = "/v1/chat/completions", OPENAI
        upstream = self._idle.pop() if self._idle else self._connect()
        upstream.sendall(_request(path, question["content"]))
        body, rest, head = wire.Chunked(), b"", b""
        while not body.ended:
            data = upstream.recv(1 << 16)
            if not head:
                head, _, data = data.partition(b"\r\n\r\n")
            *events, rest = (rest + body.feed(data)).split(b"\n\n")
            if deltas := b"".join(_delta(event, *marks) for event in events):
                yield deltas
        self._idle.append(upstream)

    def _connect(self) -> socket.socket:
        plain = socket.create_connection(self._address)
        return self._tls.wrap_socket(plain, server_hostname="127.0.0.1") if self._tls else plain


def _tls(certificate: str) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # gevent's, whose sockets do not block
    context.load_verify_locations(certificate)
    return context


def _request(path: str, text: str) -> bytes:
    content = [{"type": "text", "text": text}]
    body = {"model": "bench", "max_tokens": 8192, "stream": True}
    body["messages"] = [{"role": "user", "content": content}]
    raw = json.dumps(body).encode()
    head = f"POST {path} HTTP/1.1\r\nhost: bench\r\ncontent-length: {len(raw)}\r\n\r\n"
    return head.encode() + raw


def _delta(event: bytes, opens: bytes, closes: bytes) -> bytes:
    start = event.find(opens)
    if start < 0:
        return b""
    return DELTA % event[start + len(opens) : event.rindex(closes)]


def _send(client: socket.socket, data: bytes) -> None:
    sent = client.send(data)
    if sent < len(data):
        client.sendall(data[sent:])


if __name__ == "__main__":
    limits.raise_descriptors()
    address, certificate = ("127.0.0.1", int(sys.argv[1])), (*sys.argv[3:], None)[0]
    relay = Relay(int(sys.argv[2]), certificate)
    StreamServer(address, relay, backlog=4096).serve_forever()
