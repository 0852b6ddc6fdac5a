"""gunicorn's response, with its head and the first part of its body in one write.

gunicorn itself writes them one after the other, which takes one more system call and wakes the
client twice.
"""

from typing import Any

from gunicorn import util
from gunicorn.http import wsgi

from service.raw_sockets import CHUNK

JOINED = 64 << 10  # bytes; a larger part is not copied: each slow client would hold a copy


class JoinedResponse(wsgi.Response):
    """A response that holds its head back until the first part of the body is written."""

    headers_sent: bool

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._held = b""
        self._holds = False
        self.is_parked = False  # it waits without a greenlet; see `ParkableBody`

    def close(self) -> None:
        if not self.is_parked:
            super().close()

    def should_close(self) -> bool:
        """Return whether gunicorn stops handling the connection after this response."""
        return self.is_parked or bool(super().should_close())

    def send_headers(self) -> None:
        if self.headers_sent:
            return
        own = [f"{name}: {value}\r\n" for name, value in self.headers]
        head = "".join([*self.default_headers(), *own, "\r\n"])
        self._held = util.to_bytestring(head, "latin-1")
        self.headers_sent = True
        if not self._holds:
            self._emit_held()

    def write(self, arg: bytes) -> None:
        self._holds = True
        super().write(arg)
        self._holds = False
        self._emit_held()  # if there was no body to write

    def _emit_body(self, data: bytes) -> None:
        if len(data) > JOINED:
            self._emit_held()
        if not self._held:
            super()._emit_body(data)
            return
        head, self._held = self._held, b""
        body = CHUNK % (len(data), data) if self.chunked else data
        util.write(self.sock, head + body)

    def _emit_held(self) -> None:
        if self._held:
            head, self._held = self._held, b""
            util.write(self.sock, head)
