"""Ending a turn from outside, by an exception that is thrown into its greenlet.

The exception arrives where the greenlet waits: on the model, a tool or a slow reader. Once a turn
has begun to write its rows, nothing interrupts it any more.
"""

from collections.abc import Callable

import gevent
from gevent import get_hub

from service.chat.claims import EndReason


class Interrupted(BaseException):
    """The turn must end now. Not an Exception, so that no tool can catch it by accident."""

    def __init__(self, reason: EndReason) -> None:
        super().__init__(reason)
        self.reason = reason


class Interruption:
    """Allowed from `allow()` to `forbid()`; `reason` is the first that was given."""

    __slots__ = ("_fail", "_greenlet", "is_allowed", "reason")

    def __init__(self) -> None:
        self.reason: EndReason | None = None
        self.is_allowed = False
        self._greenlet: gevent.Greenlet | None = None
        self._fail: Callable[[BaseException], None] | None = None  # while the turn is parked

    def allow(self) -> None:
        """Called by the turn's own greenlet, before anything else. Raises `Interrupted` if the
        turn was interrupted before it began, or while it moved."""
        self._greenlet = gevent.getcurrent()
        self.is_allowed = True
        self.check()

    def park(self, fail: Callable[[BaseException], None]) -> None:
        """The turn waits without a greenlet. `fail` raises an error there, in another greenlet."""
        self._greenlet, self._fail = None, fail

    def move(self) -> None:
        """The turn goes on in another greenlet, which calls `allow` when it begins."""
        self._greenlet = self._fail = None

    def check(self) -> None:
        """Raises `Interrupted` if there is a reason.

        A driver or a tool may have put its own error in the place of one that has been thrown.
        """
        if self.reason:
            self.forbid()  # one that is on its way is not needed any more
            raise Interrupted(self.reason)

    def forbid(self) -> None:
        """From here on the rows and the last chunks are written."""
        self.is_allowed = False

    def interrupt(self, reason: EndReason) -> None:
        """End the turn for the first reason given; later ones change nothing."""
        if self.reason is None:
            self.reason = reason
            self.throw(Interrupted(reason))

    def throw(self, error: BaseException) -> None:
        """Raise an error in the turn's greenlet, if it is allowed when it arrives."""
        # While the event loop itself runs, no greenlet does: the state can't change meanwhile.
        get_hub().loop.run_callback(self._deliver, error)

    def _deliver(self, error: BaseException) -> None:
        if self.is_allowed and self._fail:
            self._fail(error)
        elif self.is_allowed and self._greenlet is None:
            self.throw(error)  # until its next greenlet has begun, which is about to
        elif self.is_allowed and self._greenlet and not self._greenlet.dead:
            # Another error may end less than the turn, for example one try of a model call.
            self.is_allowed = not isinstance(error, Interrupted)
            self._greenlet.throw(error)
