"""Let the other greenlets of a worker run during long work."""

from gevent import get_hub
from gevent.event import Event


def let_others_run() -> None:
    """Let other greenlets and the event loop run once.

    `gevent.sleep(0)` returns up to fifty times before the loop polls its sockets.
    """
    hub = get_hub()
    hub.wait(hub.loop.timer(0))


class WorkBudget:
    """An amount of work, in any unit, after which a worker lets other greenlets run.

    Of all greenlets that have spent the budget, only one goes on in each round of the event loop.
    Otherwise a round would take longer with each further client that makes the worker work.
    """

    def __init__(self, size: int) -> None:
        self._size = self._left = size
        self._last: Event | None = None  # set when the last greenlet in the queue goes on

    def spend(self, amount: int) -> None:
        self._left -= amount
        if self._left < 0:
            self._left = self._size
            self._wait_in_queue()

    def _wait_in_queue(self) -> None:
        """Wait until the greenlets before this one have gone on, then for one round."""
        before, own = self._last, Event()
        self._last = own
        try:
            if before:
                before.wait()
            let_others_run()
        finally:
            own.set()
