"""Write to a socket whose peer may read slowly, with or without waiting."""

import socket
from contextlib import suppress

from gevent.socket import socket as gevent_socket
from gevent.socket import wait_write

from service.raw_sockets import acknowledged_bytes, plain_socket

STALL_STEPS = 5  # checks of a stalled write in the time after which it fails


class Output:
    """The output side of a socket. Its callers write one at a time."""

    def __init__(self, sock: socket.socket, stall_seconds: float) -> None:
        """A write fails if the peer acknowledges nothing for `stall_seconds`."""
        # `send(data)` writes as much as the kernel takes. gevent's version takes a tenth more time,
        # but TLS needs it.
        self.send = plain_socket(sock).send if type(sock) is gevent_socket else sock.send
        self._sock = sock
        self._step = stall_seconds / STALL_STEPS
        self.rest = b""  # bytes that `send` has not taken, to be written before anything else

    def write(self, data: bytes) -> None:
        """Write the rest and all of `data`. Raises OSError."""
        if self.rest:
            data, self.rest = self.rest + data, b""
        left = memoryview(data)
        while left:
            try:
                left = left[self.send(left) :]
            except BlockingIOError:
                self._wait_for_room()

    def _wait_for_room(self) -> None:
        """Wait until the socket is writable.

        Raises `TimeoutError` if the peer acknowledges nothing for `stall_seconds`. The socket is
        writable when a third of the kernel's buffer is free. On a slow connection that takes
        longer, so the bytes that the peer has acknowledged are counted instead.
        """
        count, idle = acknowledged_bytes(self._sock), 0
        while idle < STALL_STEPS:
            with suppress(TimeoutError):
                wait_write(self._sock.fileno(), self._step)
                return
            before, count = count, acknowledged_bytes(self._sock)
            idle = idle + 1 if count == before else 0
        raise TimeoutError
