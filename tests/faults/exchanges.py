"""A subscriber and a writer, who go on while somebody else makes trouble."""

from collections.abc import Callable

from tests.faults.follower import Listener
from tests.records.conftest import Hands
from tests.services import Service, wait_for


class Exchanges:
    """Writes of one note, each of which its subscriber hears of before the next."""

    def __init__(self, service: Service, subject: str, listener: Listener) -> None:
        self.count = 0
        self._hands = Hands(service, subject)
        self._told = listener.subscribe("notes")
        self._note = self._hands.create("notes", title="exchanged")["recordId"]
        wait_for(lambda: self._told.records)

    def until(self, over: Callable[[], object]) -> int:
        """How many there were until then, the one that was under way included."""
        before = self.count
        with self._hands.session:
            while not over():
                self._next()
        return self.count - before

    def _next(self) -> None:
        heard = len(self._told.changes) + 1
        self.count += 1
        self._hands.update("notes", self._note, text=str(self.count))
        wait_for(lambda: len(self._told.changes) == heard, 60)
