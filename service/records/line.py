"""Lines: for each key, one greenlet at a time, in the order in which they came."""

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from gevent.event import Event


class Lines:
    """A line for each key, kept while a greenlet stands in it."""

    def __init__(self) -> None:
        self._lines: dict[str, deque[Event]] = {}

    @contextmanager
    def turn(self, key: str, wait: Callable[[Event], None]) -> Iterator[None]:
        """A context in which the greenlet is first in the line of `key`. `wait` returns once its
        event is set; if it raises, the place in the line is given up."""
        mine = Event()
        line = self._lines.setdefault(key, deque())
        line.append(mine)
        try:
            line[0].set()
            wait(mine)
            yield
        finally:
            line.remove(mine)
            if line:
                line[0].set()
            else:
                del self._lines[key]
