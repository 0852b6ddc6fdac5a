"""Calling the app on a stack that is freed before its response is sent.

Python frees no part of a greenlet's stack before the greenlet ends. The greenlet of a connection
would keep what a request has needed, for the database for example, as long as its response lasts:
up to 12 KB for each streamed reply.
"""

from collections.abc import Callable, Iterable
from typing import Any

from greenlet import getcurrent, greenlet

from service.observing import attribution


class OwnStack:
    """A WSGI app that runs in a greenlet of its own, until it has returned its response."""

    def __init__(self, app: Callable[..., Iterable[bytes]]) -> None:
        self._app = app

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        if "HTTP_UPGRADE" in environ:  # such a request is its whole connection
            return self._app(environ, start_response)
        caller = getcurrent()
        runner = greenlet(self._app)  # its result, or its exception, goes to the caller
        runner.gr_context = caller.gr_context
        try:
            return runner.switch(environ, start_response)
        finally:
            attribution.take_over(runner)
            if not runner.dead:  # the caller was killed: the app ends as if it were it
                runner.throw()
