"""Queues of greenlets: one runs at a time for each key, in the order of arrival."""

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from gevent.event import Event

from service.app_keys import AppKey

SNAPSHOT_QUEUES = AppKey["Queues"]("snapshots")  # one for each user


class Queues:
    """A queue for each key, which exists while greenlets are in it."""

    def __init__(self) -> None:
        self._queues: dict[str, deque[Event]] = {}

    @contextmanager
    def turn(self, key: str, wait: Callable[[Event], None]) -> Iterator[None]:
        """Enter the block when the greenlet is first in the queue of `key`.

        `wait` must return when its event is set. If it raises, the greenlet leaves the queue.
        """
        event = Event()
        queue = self._queues.setdefault(key, deque())
        queue.append(event)
        try:
            queue[0].set()
            wait(event)
            yield
        finally:
            queue.remove(event)
            if queue:
                queue[0].set()
            else:
                del self._queues[key]
