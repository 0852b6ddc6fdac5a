"""Background work of a worker, in a greenlet that exists only while there is work."""

from abc import ABC, abstractmethod

import gevent

from service import supervised


class BackgroundWork(ABC):
    """A subclass does its work in `_work`, and calls `wake` whenever there is new work.

    `_work` returns when no work is left. It must not wait between its last check for work and its
    return: `wake` does nothing during that time, so new work would be left undone.
    """

    _greenlet: gevent.Greenlet | None = None

    def wake(self) -> None:
        """Start the work, unless it is running. Work that fails is logged and starts again."""
        if self._greenlet:  # a greenlet that has ended is false
            return
        greenlet = self._greenlet = gevent.spawn(self._work)

        def recover() -> None:
            gevent.sleep(supervised.RESTART_SECONDS)
            if self._greenlet is greenlet:
                self.wake()

        supervised.on_failure(greenlet, type(self).__name__, recover)

    def stop(self) -> None:
        """Stop the work. `wake` may start it again."""
        if self._greenlet:
            self._greenlet.kill()
            self._greenlet = None

    @abstractmethod
    def _work(self) -> None:
        """Do all the work there is."""
