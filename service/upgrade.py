"""The answer that turns a request into a WebSocket."""

import socket
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NoReturn

import structlog
from flask import Response
from gevent import GreenletExit

from service.frames import Closed, Headers, Protocol
from service.websocket import FAILED, LEAVING, NORMAL, WebSocket

log = structlog.get_logger("websocket")


class Upgraded(Response):
    """Answers a request with a WebSocket and runs `session` on it, in the request's greenlet.

    A session that returns closes with 1000; one that raises is logged and closes with 1011.
    Raises `ValueError` as `WebSocket` does, while another answer can still be given.
    """

    def __init__(
        self,
        sock: socket.socket,
        headers: Headers,
        path: str,
        subprotocol: str | None,
        session: Callable[[WebSocket], None],
    ) -> None:
        self._opening = (sock, list(headers), path, subprotocol)
        Protocol(self._opening[1], subprotocol)
        super().__init__(status=101)
        self._session = session

    def __call__(self, environ: Any, start_response: Any) -> NoReturn:
        """Raises `StopIteration`: gunicorn's async workers take it for the end of a connection,
        write nothing more and log nothing."""
        try:
            with suppress(Closed):
                self._converse(WebSocket(*self._opening))
        finally:
            self.close()
            raise StopIteration

    def _converse(self, connection: WebSocket) -> None:
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
