"""Ending a turn from outside, by an exception that is thrown into its greenlet.

The exception is raised where the greenlet waits: for the model, a tool or a slow reader. Once a
turn has begun to write its rows, nothing interrupts it any more.
"""

from collections.abc import Callable

import gevent
from gevent import get_hub
from gevent.event import Event

from service.chat.claims import EndReason


class Interrupted(BaseException):
    """The turn must end now. It is not an Exception, so that no tool catches it by accident."""

    def __init__(self, reason: EndReason) -> None:
        super().__init__(reason)
        self.reason = reason


class Interruption:
    """Whether and why a turn is interrupted.

    Interrupting is allowed from `allow()` to `forbid()`; `reason` is the first reason given.
    """

    __slots__ = ("_fail", "_greenlet", "is_allowed", "reason")

    def __init__(self) -> None:
        self.reason: EndReason | None = None
        self.is_allowed = False
        self._greenlet: gevent.Greenlet | None = None
        self._fail: Callable[[BaseException], None] | None = None  # while the turn is parked

    def allow(self) -> None:
        """Allow interruptions; called by the turn's own greenlet before anything else.

        Raises `Interrupted` if the turn was interrupted before it began, or while it changed
        greenlets.
        """
        self._greenlet = gevent.getcurrent()
        self.is_allowed = True
        self.check()

    def park(self, fail: Callable[[BaseException], None]) -> None:
        """Note that the turn waits without a greenlet. `fail` raises an error in its next one."""
        self._greenlet, self._fail = None, fail

    def move(self) -> None:
        """Note that the turn continues in another greenlet, which calls `allow` when it begins."""
        self._greenlet = self._fail = None

    def check(self) -> None:
        """Raise `Interrupted` if there is a reason.

        A driver or a tool may have replaced the thrown error with its own.
        """
        if self.reason:
            self.forbid()  # a second one, already scheduled, is not needed any more
            raise Interrupted(self.reason)

    def check_here(self) -> None:
        """Raise `Interrupted` if there is a reason, from any greenlet that works for the turn.

        Only the turn's own greenlet raises it. Another one waits, and is killed when the turn ends.
        """
        if self.reason and gevent.getcurrent() is not self._greenlet:
            Event().wait()
        self.check()

    def forbid(self) -> None:
        """Forbid interruptions: from here on the rows and the last chunks are written."""
        self.is_allowed = False

    def interrupt(self, reason: EndReason) -> None:
        """End the turn for the first reason given; later reasons change nothing."""
        if self.reason is None:
            self.reason = reason
            self.throw(Interrupted(reason))

    def throw(self, error: BaseException, is_due: Callable[[], bool] = lambda: True) -> None:
        """Raise an error in the turn's greenlet, if interruptions are allowed at that time.

        `is_due` is called immediately before and returns whether there still is a reason. The
        greenlet may run until then: a model that was late may have answered, and a tool may work.
        """
        # While the event loop runs, no greenlet runs, so the state can't change meanwhile.
        get_hub().loop.run_callback(self._deliver, error, is_due)

    def _deliver(self, error: BaseException, is_due: Callable[[], bool]) -> None:
        if not self.is_allowed:
            return
        if self._fail is None and self._greenlet is None:
            self.throw(error, is_due)  # again, until its next greenlet has begun
        elif is_due():
            self._raise(error)

    def _raise(self, error: BaseException) -> None:
        if self._fail:
            self._fail(error)
        elif self._greenlet and not self._greenlet.dead:
            # Another error may end only a part of the turn, for example one try of a model call.
            self.is_allowed = not isinstance(error, Interrupted)
            self._greenlet.throw(error)
