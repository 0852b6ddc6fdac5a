"""Notice during a long response that the client has left or the worker is ending.

gunicorn reports neither to a streaming response. A write shows that the client has left, but a
silent model may cause no write for minutes. And at the end of the grace period the master kills the
worker without running any `finally`.
"""

import socket
from collections.abc import Callable
from contextlib import ExitStack

import gevent
import structlog
from flask import Flask
from gevent import get_hub

from service.app_keys import AppKey
from service.observing.measures import WORKERS_READY
from service.observing.sampler import SAMPLER
from service.raw_sockets import READ, peek, peer_has_closed, plain_socket

POLL_SECONDS = 0.1
LIFECYCLE = AppKey["Lifecycle"]("lifecycle")

log = structlog.get_logger("lifecycle")


class Lifecycle:
    """The state of this worker. Listeners are called once, with the seconds until its end."""

    def __init__(self) -> None:
        self.draining = False
        self._listeners: list[Callable[[float], None]] = []
        self._conditions: list[Callable[[], bool]] = []

    def on_drain(self, listener: Callable[[float], None]) -> None:
        self._listeners.append(listener)

    def ends_after(self, is_done: Callable[[], bool]) -> None:
        """Keep a draining worker alive until `is_done()`, even if it has no request left."""
        self._conditions.append(is_done)

    @property
    def is_done(self) -> bool:
        return all(condition() for condition in self._conditions)

    def watch(
        self,
        alive: Callable[[], bool],
        grace: float,
        delay: Callable[[float], float] = lambda _grace: 0.0,
    ) -> gevent.Greenlet:
        """Begin the drain `delay(grace)` seconds after `alive()` turns false.

        `grace` is in seconds.
        """

        def wait() -> None:
            while alive():
                gevent.sleep(POLL_SECONDS)
            seconds = delay(grace)
            gevent.sleep(seconds)
            self.drain(grace - seconds)

        return gevent.spawn(wait)

    def drain(self, grace: float) -> None:
        """Call all listeners, even if one fails. Its error is raised afterwards."""
        if not self.draining:
            self.draining = True
            log.info("draining", seconds=grace)
            with ExitStack() as calls:
                for listener in reversed(self._listeners):
                    calls.callback(listener, grace)


def init_app(app: Flask) -> None:
    lifecycle = LIFECYCLE.set(app, Lifecycle())
    sampler = SAMPLER.of(app)
    sampler.add(WORKERS_READY, lambda: not lifecycle.draining)
    lifecycle.on_drain(lambda _grace: sampler.sample())  # other workers see it at once


class ClientWatch:
    """Call `on_close` once when the peer of a socket closes, without a greenlet and without reads.

    A peer that closes only its sending side can't be distinguished from one that closes both.
    """

    __slots__ = ("_loop", "_on_close", "_sock", "_watcher")

    def __init__(self, sock: socket.socket, on_close: Callable[[], None]) -> None:
        self._sock = plain_socket(sock)
        self._on_close = on_close
        self._loop = get_hub().loop
        self._watcher = self._loop.io(sock.fileno(), READ)
        self._watcher.start(self._on_readable)

    def stop(self) -> None:
        if self._watcher:
            self._watcher.stop()
            self._watcher.close()
            self._watcher = None

    def _on_readable(self) -> None:
        data = peek(self._sock)
        if data:
            self._poll_state()
        elif data is not None:
            self._report_close()

    def _poll_state(self) -> None:
        """Ask the kernel from time to time whether the client has closed the connection.

        This is for a client that has sent its next request early. The socket then stays readable,
        and peeking can't show a close after those bytes.
        """
        self.stop()
        self._watcher = self._loop.timer(POLL_SECONDS, POLL_SECONDS)
        self._watcher.start(self._check_state)

    def _check_state(self) -> None:
        if peer_has_closed(self._sock):
            self._report_close()

    def _report_close(self) -> None:
        self.stop()
        self._on_close()
