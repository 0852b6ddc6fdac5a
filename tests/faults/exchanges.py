"""A subscriber and a writer that continue while other clients cause load."""

from collections.abc import Callable

import gevent

from tests.faults.follower import Listener
from tests.records.http_writer import HttpWriter
from tests.services import Service, wait_for


class Exchanges:
    """Writes of one note. Each waits until its subscriber has received the change."""

    def __init__(self, service: Service, subject: str, listener: Listener) -> None:
        self.count = 0
        self._hands = HttpWriter(service, subject)
        self._listener = listener.subscribe("notes")
        self._note = self._hands.create("notes", title="exchanged")["recordId"]
        wait_for(lambda: self._listener.records)

    def until(self, over: Callable[[], object], pause: float = 0) -> int:
        """Write until `over()` is true and return the number of writes."""
        before = self.count
        with self._hands.session:
            while not over():
                self._next()
                gevent.sleep(pause)
        return self.count - before

    def _next(self) -> None:
        expected = len(self._listener.changes) + 1
        self.count += 1
        self._hands.update("notes", self._note, text=str(self.count))
        wait_for(lambda: len(self._listener.changes) == expected, 60)
