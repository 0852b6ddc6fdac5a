"""Two things a long response must notice by itself: the client has left, the worker shall end.

gunicorn tells a streaming response neither. A closed client shows only at the next write, which
a silent model puts off for minutes; and at the end of the grace time the master kills the worker
without running any `finally`.
"""

import socket
import struct
from collections.abc import Callable

import gevent
import structlog
from gevent import get_hub

READ = 1  # the event loop's flag
ESTABLISHED = 1
POLL_SECONDS = 0.1
ACKED_OFFSET = 120  # tcpi_bytes_acked in Linux's struct tcp_info

log = structlog.get_logger("lifecycle")


class Lifecycle:
    """Whether this worker is ending; listeners are told once, with the seconds that are left."""

    def __init__(self) -> None:
        self.draining = False
        self._listeners: list[Callable[[float], None]] = []

    def on_drain(self, listener: Callable[[float], None]) -> None:
        self._listeners.append(listener)

    def watch(
        self,
        alive: Callable[[], bool],
        grace: float,
        delay: Callable[[float], float] = lambda _grace: 0.0,
    ) -> gevent.Greenlet:
        """Begin the drain `delay(grace)` after `alive()` turns false; `grace` is in seconds."""

        def wait() -> None:
            while alive():
                gevent.sleep(POLL_SECONDS)
            later = delay(grace)
            gevent.sleep(later)
            self.drain(grace - later)

        return gevent.spawn(wait)

    def drain(self, grace: float) -> None:
        if not self.draining:
            self.draining = True
            log.info("draining", seconds=grace)
            for listener in self._listeners:
                listener(grace)


class ClientWatch:
    """Calls `gone` once when the peer of a socket closes, without a greenlet and without reading.

    A peer that closes only its sending side counts as gone: the two look the same from here.
    """

    def __init__(self, sock: socket.socket, gone: Callable[[], None]) -> None:
        # gevent's own recv would wait for data; this one is called from the event loop.
        self._sock = getattr(sock, "_sock", sock)
        self._gone = gone
        self._loop = get_hub().loop
        self._watcher = self._loop.io(sock.fileno(), READ)
        self._watcher.start(self._readable)

    def stop(self) -> None:
        if self._watcher:
            self._watcher.stop()
            self._watcher.close()
            self._watcher = None

    def _readable(self) -> None:
        try:
            waiting = self._sock.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT)
        except (BlockingIOError, InterruptedError):
            return
        except OSError:
            waiting = b""
        if waiting:
            self._poll_instead()
        else:
            self._tell()

    def _poll_instead(self) -> None:
        """The client has sent its next request already: the socket stays readable, and a close
        behind those bytes can't be peeked at. The kernel's connection state shows it."""
        self.stop()
        self._watcher = self._loop.timer(POLL_SECONDS, POLL_SECONDS)
        self._watcher.start(self._check_state)

    def _check_state(self) -> None:
        try:
            state = self._sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1)[0]
        except OSError:
            state = None
        if state != ESTABLISHED:
            self._tell()

    def _tell(self) -> None:
        self.stop()
        self._gone()


def let_others_run() -> None:
    """Go on in the event loop's next turn. `gevent.sleep(0)` comes back before sockets were looked
    at, some fifty times in a row."""
    hub = get_hub()
    hub.wait(hub.loop.timer(0))


class Share:
    """How much work, in any unit, a worker does before it lets others run."""

    def __init__(self, most: int) -> None:
        self._most = self._left = most

    def spend(self, amount: int) -> None:
        self._left -= amount
        if self._left < 0:
            self._left = self._most
            let_others_run()


def acknowledged(sock: socket.socket) -> int | None:
    """Bytes the peer has acknowledged so far; None where the kernel does not tell."""
    try:
        info = sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, ACKED_OFFSET + 8)
        return struct.unpack_from("Q", info, ACKED_OFFSET)[0]
    except (OSError, struct.error):
        return None
