"""Let the other greenlets of a worker run during long work."""

from gevent import get_hub


def let_others_run() -> None:
    """Let other greenlets and the event loop run once.

    `gevent.sleep(0)` returns up to fifty times before the loop polls its sockets.
    """
    hub = get_hub()
    hub.wait(hub.loop.timer(0))


class WorkBudget:
    """An amount of work, in any unit, after which a worker lets other greenlets run."""

    def __init__(self, size: int) -> None:
        self._size = self._left = size

    def spend(self, amount: int) -> None:
        self._left -= amount
        if self._left < 0:
            self._left = self._size
            let_others_run()
