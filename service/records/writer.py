"""The greenlet that sends changes to the client of a session that is behind."""

from collections.abc import Callable

import gevent

from service.observing import attribution
from service.supervised import on_failure


class Writer:
    """Calls a function when there is news, in a greenlet that ends when there is no more.

    A greenlet that waits keeps its stacks, which took 10 KB of each idle session. `fail` is
    called if the function raises an exception.
    """

    __slots__ = ("_facts", "_fail", "_greenlet", "_has_ended", "_has_news")

    def __init__(self, fail: Callable[[], object]) -> None:
        self._fail = fail
        self._facts = attribution.current_facts()
        self._greenlet: gevent.Greenlet | None = None
        self._has_news = self._has_ended = False

    def wake(self, send: Callable[[], bool]) -> None:
        """Have `send` called, once more if it is running. If it returns False, it was the last."""
        self._has_news = True
        if self._greenlet is None and not self._has_ended:
            self._greenlet = gevent.spawn(self._run, send)
            attribution.give(self._greenlet, self._facts)
            on_failure(self._greenlet, "socket", self._fail)

    def end(self) -> None:
        """Kill the greenlet, and wait until it has ended."""
        self._has_ended = True
        try:
            if self._greenlet:
                self._greenlet.kill()
        finally:
            self._greenlet = None  # after a failure, it refers to the session

    def _run(self, send: Callable[[], bool]) -> None:
        while self._has_news and not self._has_ended:
            self._has_news = False
            self._has_ended = not send()
        self._greenlet = None
