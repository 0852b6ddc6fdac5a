"""Greenlets that run as long as they are needed. One that fails is logged and starts again.

gevent alone would only print the exception of a greenlet, and leave its work undone.
"""

from collections.abc import Callable
from typing import Any

import gevent
import structlog

RESTART_SECONDS = 1.0  # so that work that fails at once does not keep the worker busy

log = structlog.get_logger("background")


def on_failure(greenlet: gevent.Greenlet, name: str, act: Callable[[], object]) -> None:
    """Log the exception that ends a greenlet, and call `act` in a new one."""

    def note(failed: gevent.Greenlet) -> None:  # called in the event loop, which must not wait
        error = type(failed.exception).__name__
        log.error("background work failed", work=name, error=error)
        gevent.spawn(act)

    greenlet.link_exception(note)


class LastingGreenlets:
    """Greenlets with one `name` in the log. One that fails starts again, after a call of `act`."""

    def __init__(self, name: str, act: Callable[[], object] = lambda: None) -> None:
        self._name = name
        self._act = act
        self._running: set[gevent.Greenlet] = set()

    def spawn(self, run: Callable[..., object], *arguments: Any) -> None:
        self._follow(gevent.spawn(run, *arguments), run, *arguments)

    def kill(self) -> None:
        """Kill all. Others may be spawned while they end."""
        running, self._running = self._running, set()
        gevent.killall(running)

    def _follow(
        self, greenlet: gevent.Greenlet, run: Callable[..., object], *arguments: Any
    ) -> None:
        self._running.add(greenlet)

        def recover() -> None:
            if greenlet in self._running:
                self._running.remove(greenlet)
                self._act()
                self._follow(gevent.spawn_later(RESTART_SECONDS, run, *arguments), run, *arguments)

        on_failure(greenlet, self._name, recover)
