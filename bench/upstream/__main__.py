"""A stand-in for the model providers that sends checkable tokens at a given pace.

`python -m bench.upstream PORT [FOLDER]`: one thread, epoll, one write for each burst of tokens.
With a folder that has `certificate.pem` and `key.pem` it speaks TLS. The pace comes with the prompt
(`wire.question`), and so does the number of steps: all but the last one call a tool. Nothing is
lost when a reader is slow: bytes that the socket does not accept are sent later, and the token's
time is when it was due.

A GET is a lookup and is answered at once; see `lookup`.
"""

import gc
import heapq
import select
import socket
import ssl
import sys
import time
from pathlib import Path

from bench import limits, lookup, wire
from bench.upstream import formats

LATER = (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError)


class UpstreamConnection:
    """One kept-alive connection and its current reply."""

    __slots__ = ("burst", "format", "interval", "next", "received", "sock", "tokens", "unsent",
                 "waiting")  # fmt: skip

    def __init__(self, sock: socket.socket) -> None:
        self.sock = sock
        self.received = b""
        self.unsent = b""
        self.waiting = False
        self.format = formats.ANTHROPIC
        self.tokens = self.next = self.burst = 0
        self.interval = 0.0  # seconds between bursts

    def begin(self, head: bytes, body: bytes) -> bool:
        """Whether tokens follow, instead of a tool's call."""
        self.format = formats.format_of(head)
        asked = wire.read_question(body)
        step = body[asked.end :].count(self.format.result)
        if step + 1 < asked.steps:
            self.unsent += self.format.call(step)
            return False
        self.tokens, self.burst = asked.tokens, asked.burst
        self.next, self.interval = 0, asked.burst / asked.rate
        self.unsent += self.format.begin
        return True

    def burst_of_tokens(self) -> bytes:
        """The next tokens as HTTP chunks, one for each, and the end after the last."""
        last = min(self.next + self.burst, self.tokens)
        sent = wire.micros()
        frames = [self.format.delta % wire.token(index, sent) for index in range(self.next, last)]
        self.next = last
        body = b"".join(wire.chunk(frame.encode()) for frame in frames)
        return body + self.format.end(self.tokens) if last == self.tokens else body


class UpstreamServer:
    def __init__(self, port: int, tls: ssl.SSLContext | None) -> None:
        self.tls = tls
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
            if self.tls:  # the handshake comes with the first read
                sock = self.tls.wrap_socket(sock, server_side=True, do_handshake_on_connect=False)
            self.connections[sock.fileno()] = UpstreamConnection(sock)
            self.epoll.register(sock, select.EPOLLIN)

    def _read(self, connection: UpstreamConnection) -> None:
        try:
            data = connection.sock.recv(1 << 16)
            while self.tls and connection.sock.pending():
                data += connection.sock.recv(1 << 16)
        except LATER:
            return
        except OSError:
            data = b""
        if not data:
            self._close(connection)
            return
        connection.received += data
        if request := wire.head_and_body(connection.received):
            connection.received = b""
            self._answer(connection, *request)

    def _answer(self, connection: UpstreamConnection, head: bytes, body: bytes) -> None:
        if head.startswith(b"GET "):
            connection.unsent += lookup.answer(head)
        elif connection.begin(head, body):
            self._send_burst(connection, time.monotonic())
            return
        self._flush(connection)

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
        except LATER:
            pass
        except OSError:
            self._close(connection)
            return
        if connection.waiting != bool(connection.unsent):
            connection.waiting = bool(connection.unsent)
            events = select.EPOLLIN | (select.EPOLLOUT if connection.waiting else 0)
            self.epoll.modify(connection.sock, events)

    def _close(self, connection: UpstreamConnection) -> None:
        self.connections.pop(connection.sock.fileno(), None)
        connection.sock.close()


def _tls(arguments: list[str]) -> ssl.SSLContext | None:
    if not arguments:
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*(Path(arguments[0], name) for name in ("certificate.pem", "key.pem")))
    return context


if __name__ == "__main__":
    limits.raise_descriptors()
    gc.disable()  # nothing here makes cycles, and a pause would count as the server's
    UpstreamServer(int(sys.argv[1]), _tls(sys.argv[2:])).run()
