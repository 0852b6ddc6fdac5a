"""A time limit that does not discard bytes that have arrived in time."""

from typing import Any

import gevent
from gevent import get_hub


class TimeLimit(gevent.Timeout):
    """A `gevent.Timeout` that expires after the event loop has looked for bytes once more.

    A process that was suspended may have got its answer meanwhile. The signal that resumes it
    interrupts the event loop's wait, so that the loop first sees only that the time is over.
    """

    timer: Any

    def _on_expiration(self, prev_greenlet: gevent.Greenlet, ex: Any) -> None:
        self.timer.close()
        # In the next iteration, where bytes come first, because a timeout has a lower priority.
        self.timer = get_hub().loop.timer(0, priority=-1)
        self.timer.start(super()._on_expiration, prev_greenlet, ex)
