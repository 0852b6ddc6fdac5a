"""Work in the background of a worker, in a greenlet that exists only while there is some."""

from abc import ABC, abstractmethod

import gevent

from service import supervised


class BackgroundWork(ABC):
    """A subclass does its work in `_work`, and calls `wake` whenever there is some.

    `_work` returns when no work is left, and must not wait between that look and its end: work
    that came meanwhile would wake nobody.
    """

    _greenlet: gevent.Greenlet | None = None

    def wake(self) -> None:
        """Begin to work, unless that is under way. Work that fails is logged and begins anew."""
        if self._greenlet:  # a greenlet that has ended is false
            return
        greenlet = self._greenlet = gevent.spawn(self._work)

        def recover() -> None:
            gevent.sleep(supervised.RESTART_SECONDS)
            if self._greenlet is greenlet:
                self.wake()

        supervised.on_failure(greenlet, type(self).__name__, recover)

    def stop(self) -> None:
        """Break the work off. It may be woken again."""
        if self._greenlet:
            self._greenlet.kill()
            self._greenlet = None

    @abstractmethod
    def _work(self) -> None:
        """All the work there is."""
