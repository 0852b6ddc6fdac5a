"""The response that upgrades a request to a WebSocket."""

import socket
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NoReturn

import structlog
from flask import Response
from gevent import GreenletExit

from service.websockets.frames import Closed, Headers, Protocol
from service.websockets.websocket import FAILED, LEAVING, NORMAL, WebSocket

log = structlog.get_logger("websocket")


class WebSocketResponse(Response):
    """Upgrade a request to a WebSocket and run `session` on it, in the greenlet of the request.

    The connection closes with 1000 when the session returns, and with 1011 when it raises, which
    is logged. Raises `ValueError` for an invalid handshake, or for a subprotocol that the client
    did not offer; nothing has been sent in that case.
    """

    def __init__(
        self,
        sock: socket.socket,
        headers: Headers,
        path: str,
        subprotocol: str | None,
        session: Callable[[WebSocket], None],
    ) -> None:
        self._handshake = list(headers), subprotocol
        Protocol(*self._handshake)  # raises ValueError
        super().__init__(status=101)
        self._sock, self._path, self._session = sock, path, session

    def __call__(self, environ: Any, start_response: Any) -> NoReturn:
        """Serve the connection, then raise `StopIteration`.

        gunicorn's async workers treat this as the end of the connection: they write and log
        nothing.
        """
        try:
            with suppress(Closed):
                protocol = Protocol(*self._handshake, self.headers.get("X-Request-Id"))
                del self._handshake  # the connection may stay open for days
                self._run(WebSocket(self._sock, protocol, self._path))
        finally:
            self.close()
            raise StopIteration

    def _run(self, connection: WebSocket) -> None:
        code = FAILED
        try:
            self._session(connection)
            code = NORMAL
        except (Closed, GreenletExit):
            code = LEAVING
        finally:
            if code == FAILED:
                log.error("session failed", path=connection.path, exc_info=True)
            connection.close(code)
            connection.linger()
