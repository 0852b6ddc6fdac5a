"""One request and its response on a pooled connection."""

from contextlib import suppress
from http.client import HTTPException
from typing import Any

from service.cleanup import OnFailure
from service.outbound.body import READ_SIZE, ResponseBody
from service.outbound.destination import Origin
from service.outbound.head import HEAD_LIMIT, ResponseHead, parse_head, split_head
from service.outbound.pool import Pool
from service.raw_sockets import send_all

JOINED = 65_536  # bytes: a body up to this size is sent together with its head


class HttpExchange:
    """A request and its response. After `run`, `body` is that of the response.

    `end` gives the connection back or closes it.
    """

    body: ResponseBody

    def __init__(self, pool: Pool, origin: Origin, seconds: float) -> None:
        """Take an idle connection, or connect within `seconds`. Raises as `Pool.take` does."""
        self._pool, self._origin = pool, origin
        self._connection = pool.take(origin, seconds)
        self._is_sent = self._keeps_connection = False

    def run(
        self, method: str, head: bytes, content: bytes | None, idle: float | None
    ) -> ResponseHead:
        """Send the request and return the response's head; each read may take `idle` seconds.

        Raises OSError, HTTPException. The connection is closed after any exception.
        """
        sock: Any = self._connection.sock
        with OnFailure(self._connection.close):
            sock.settimeout(idle)
            # A server that refuses a long body may answer before it has read the whole body.
            with suppress(BrokenPipeError, ConnectionResetError):
                self._send(sock, head, content or b"")
            answer, ahead = _receive(sock, method)
            self.body = ResponseBody(sock, answer, ahead)
            self._keeps_connection = answer.keeps_connection
            return answer

    def _send(self, sock: Any, head: bytes, content: bytes) -> None:
        joined = len(content) <= JOINED
        for data in (head + content,) if joined else (head, content):
            send_all(sock, data)
        self._is_sent = True

    def end(self) -> None:
        """Return the connection to the pool if the server can take another request on it."""
        body = self.body
        body.leave()
        is_over = self._is_sent and body.complete and not body.is_followed
        if is_over and self._keeps_connection:
            self._pool.give_back(self._origin, self._connection)
        else:
            self._connection.close()


def _receive(sock: Any, method: str) -> tuple[ResponseHead, bytes]:
    """Return the head of the response, and the bytes of its body that have arrived.

    Informational answers may come before the head. Together they may be only as long as one head,
    because a server that sends them without end would block everything else.
    """
    data, informational = b"", 0
    while piece := sock.recv(READ_SIZE):
        data = data + piece if data else piece
        while split := split_head(data):
            head, rest = parse_head(split[0], method), split[1]
            if head.status >= 200:
                return head, rest
            informational += len(data) - len(rest)
            if informational > HEAD_LIMIT:
                raise HTTPException("too many informational answers")
            data = rest
    raise HTTPException("no response")
