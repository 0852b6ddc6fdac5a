"""A stand-in for the Anthropic Messages API that sends checkable tokens at a given pace.

`python -m bench.upstream PORT`: one thread, epoll, one write for each burst of tokens. The pace
comes with the prompt (`wire.question`). Nothing is lost when a reader is slow: bytes that the
socket does not accept are sent later, and the token's time is when it was due.

A GET is a lookup and is answered at once; see `lookup`.
"""

import gc
import heapq
import json
import select
import socket
import sys
import time

from bench import limits, lookup, wire

HEAD = (
    b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\n"
    b"cache-control: no-cache\r\ntransfer-encoding: chunked\r\n\r\n"
)


def _event(kind: str, **fields: object) -> bytes:
    body = json.dumps({"type": kind, **fields}, separators=(",", ":"))
    return f"event: {kind}\ndata: {body}\n\n".encode()


_USAGE = {"input_tokens": 20, "output_tokens": 1}
_MESSAGE = {"id": "msg_bench", "type": "message", "role": "assistant", "model": "bench"}
BEGIN = HEAD + b"".join(
    [
        wire.chunk(_event("message_start", message={**_MESSAGE, "content": [], "usage": _USAGE})),
        wire.chunk(
            _event("content_block_start", index=0, content_block={"type": "text", "text": ""})
        ),
        wire.chunk(_event("ping")),
    ]
)
DELTA = (
    "event: content_block_delta\n"
    'data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"%s"}}\n\n'
)
STOP = wire.chunk(_event("content_block_stop", index=0))
BYE = wire.chunk(_event("message_stop")) + wire.LAST_CHUNK


def _end(tokens: int) -> bytes:
    usage = {"output_tokens": tokens}
    delta = {"stop_reason": "end_turn", "stop_sequence": None}
    return STOP + wire.chunk(_event("message_delta", delta=delta, usage=usage)) + BYE


class UpstreamConnection:
    """One kept-alive connection and its current reply."""

    __slots__ = ("burst", "received", "interval", "next", "sock", "tokens", "unsent", "waiting")

    def __init__(self, sock: socket.socket) -> None:
        self.sock = sock
        self.received = b""
        self.unsent = b""
        self.waiting = False
        self.tokens = self.next = self.burst = 0
        self.interval = 0.0  # seconds between bursts

    def begin(self, body: bytes) -> None:
        self.tokens, rate, self.burst = wire.read_question(body)
        self.next, self.interval = 0, self.burst / rate
        self.unsent += BEGIN

    def burst_of_tokens(self) -> bytes:
        """The next tokens as HTTP chunks, one for each, and the end after the last."""
        last = min(self.next + self.burst, self.tokens)
        sent = wire.micros()
        frames = [DELTA % wire.token(index, sent) for index in range(self.next, last)]
        self.next = last
        body = b"".join(wire.chunk(frame.encode()) for frame in frames)
        return body + _end(self.tokens) if last == self.tokens else body


class UpstreamServer:
    def __init__(self, port: int) -> None:
        self.listener = socket.create_server(("127.0.0.1", port), backlog=4096)
        self.listener.setblocking(False)
        self.epoll = select.epoll()
        self.epoll.register(self.listener, select.EPOLLIN)
        self.connections: dict[int, UpstreamConnection] = {}
        self.due: list[tuple[float, int]] = []  # when, and whose next burst

    def run(self) -> None:
        while True:
            wait = max(0.0, self.due[0][0] - time.monotonic()) if self.due else None
            # select takes microseconds, epoll only milliseconds, which would batch the streams.
            select.select([self.epoll.fileno()], [], [], wait)
            for fd, events in self.epoll.poll(0):
                self._ready(fd, events)
            self._send_due()

    def _ready(self, fd: int, events: int) -> None:
        if fd == self.listener.fileno():
            self._accept()
        elif connection := self.connections.get(fd):
            if events & select.EPOLLOUT:
                self._flush(connection)
            if events & ~select.EPOLLOUT:
                self._read(connection)

    def _accept(self) -> None:
        while True:
            try:
                sock, _ = self.listener.accept()
            except BlockingIOError:
                return
            sock.setblocking(False)
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.connections[sock.fileno()] = UpstreamConnection(sock)
            self.epoll.register(sock, select.EPOLLIN)

    def _read(self, connection: UpstreamConnection) -> None:
        try:
            data = connection.sock.recv(1 << 16)
        except ConnectionError:
            data = b""
        if not data:
            self._close(connection)
            return
        connection.received += data
        if request := wire.head_and_body(connection.received):
            connection.received = b""
            if request[0].startswith(b"GET "):
                connection.unsent += lookup.answer(request[0])
                self._flush(connection)
                return
            connection.begin(request[1])
            self._send_burst(connection, time.monotonic())

    def _send_due(self) -> None:
        now = time.monotonic()
        while self.due and self.due[0][0] <= now:
            when, fd = heapq.heappop(self.due)
            connection = self.connections.get(fd)
            if connection and connection.next < connection.tokens:
                self._send_burst(connection, when)

    def _send_burst(self, connection: UpstreamConnection, when: float) -> None:
        connection.unsent += connection.burst_of_tokens()
        if connection.next < connection.tokens:
            heapq.heappush(self.due, (when + connection.interval, connection.sock.fileno()))
        self._flush(connection)

    def _flush(self, connection: UpstreamConnection) -> None:
        try:
            sent = connection.sock.send(connection.unsent)
            connection.unsent = connection.unsent[sent:]
        except BlockingIOError:
            pass
        except ConnectionError:
            self._close(connection)
            return
        if connection.waiting != bool(connection.unsent):
            connection.waiting = bool(connection.unsent)
            events = select.EPOLLIN | (select.EPOLLOUT if connection.waiting else 0)
            self.epoll.modify(connection.sock, events)

    def _close(self, connection: UpstreamConnection) -> None:
        self.connections.pop(connection.sock.fileno(), None)
        connection.sock.close()


if __name__ == "__main__":
    limits.raise_descriptors()
    gc.disable()  # nothing here makes cycles, and a pause would count as the server's
    UpstreamServer(int(sys.argv[1])).run()
