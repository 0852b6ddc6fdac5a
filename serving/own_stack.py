"""Call the app on a stack that is freed before the response is sent.

Python frees no part of a greenlet's stack before the greenlet ends. The greenlet of a connection
would keep the stack that a request needed, for example for the database, until its response ends:
up to 12 KB for each streamed reply. A greenlet that has done its work waits for the next request,
because the kernel takes 20 µs to map and unmap the stack of a new one.
"""

from collections.abc import Callable, Iterable
from typing import Any

import gevent
from greenlet import getcurrent, greenlet

from service.observing import attribution

App = Callable[[dict[str, Any], Any], Iterable[bytes]]
IDLE_GREENLETS = 16  # that wait for a request


class Work:
    """A request for the app, and its response."""

    __slots__ = ("environ", "is_done", "response", "start_response")

    def __init__(self, environ: dict[str, Any], start_response: Any) -> None:
        self.environ, self.start_response = environ, start_response
        self.response: Iterable[bytes] = ()
        self.is_done = False


class OwnStack:
    """A WSGI app that runs in another greenlet, until it has returned its response."""

    def __init__(self, app: App) -> None:
        self._app = app
        self._idle: list[greenlet] = []

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        if "HTTP_UPGRADE" in environ:  # such a request takes its whole connection
            return self._app(environ, start_response)
        work, runner = Work(environ, start_response), self._runner()
        try:
            runner.switch(work)
        finally:
            self._end(runner, work)
        return work.response

    def _runner(self) -> greenlet:
        """Return a greenlet with the context of the current one, in which its errors are raised."""
        if self._idle:
            runner = self._idle.pop()
        else:
            runner = greenlet(self._run)
            runner.switch()  # until it waits, without arguments, which it would hold
        caller = getcurrent()
        runner.parent, runner.gr_context = caller, caller.gr_context
        return runner

    def _run(self) -> None:
        """Do one work after the other, until an error ends this greenlet.

        Between them it holds only the greenlet of the last caller, which may have ended.
        """
        while True:
            work: Work = getcurrent().parent.switch()
            work.response = self._app(work.environ, work.start_response)
            work.is_done = True
            del work

    def _end(self, runner: greenlet, work: Work) -> None:
        try:
            if not work.is_done and not runner.dead:
                runner.throw()  # the caller was killed, so the app is killed too
        finally:
            attribution.take_over(runner)
        if work.is_done and len(self._idle) < IDLE_GREENLETS:
            runner.parent, runner.gr_context = gevent.get_hub(), None
            self._idle.append(runner)
