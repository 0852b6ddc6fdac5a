"""Write to a response's client from the event loop, without the WSGI server.

A write through the server needs, for each token, a switch to the greenlet of the response and
passes all layers between its generator and the connection.
"""

from collections.abc import Mapping
from typing import Any

from gevent.socket import socket

from service.raw_sockets import CHUNK, plain_socket, send_all
from service.web.pauses import SUPPORTED


class DirectWriter:
    """Writes parts of a body that the server has begun to send, with the server's framing."""

    __slots__ = ("_beneath", "_is_chunked", "_sock", "is_server_pausing")

    def __init__(self, sock: socket, is_chunked: bool, is_server_pausing: bool = False) -> None:
        self._sock, self._beneath, self._is_chunked = sock, plain_socket(sock), is_chunked
        self.is_server_pausing = is_server_pausing  # see `Pause`

    def write(self, data: bytes) -> bytes:
        """Send without waiting; returns the framed bytes that the kernel has not accepted."""
        if self._is_chunked:
            data = CHUNK % (len(data), data)
        try:
            sent = self._beneath.send(data)
        except OSError:
            sent = 0  # `finish` waits, or raises the error where the server expects it
        return data[sent:]

    def finish(self, rest: bytes) -> None:
        """Send these remaining bytes, and wait until the kernel has accepted them.

        Raises OSError.
        """
        send_all(self._sock, rest)


def direct_writer(environ: Mapping[str, Any]) -> DirectWriter | None:
    """Return a writer for the client of a request.

    None without gunicorn, and on a connection with TLS. gunicorn sends a body of unknown length in
    chunks if the client speaks HTTP/1.1.
    """
    sock, protocol = environ.get("gunicorn.socket"), environ.get("SERVER_PROTOCOL")
    if type(sock) is not socket or protocol not in ("HTTP/1.0", "HTTP/1.1"):
        return None
    return DirectWriter(sock, protocol == "HTTP/1.1", environ.get(SUPPORTED, False))
