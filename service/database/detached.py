"""Work that continues if its caller is interrupted, such as a refresh of tokens.

A worker that ends waits for it.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

import gevent
import structlog
from flask import Flask, current_app
from gevent.pool import Group
from gevent.util import wrap_errors

from service.cleanup import OnFailure
from service.database.time_limits import usual_time_limit
from service.lifecycle import LIFECYCLE

T = TypeVar("T")

log = structlog.get_logger("database")
_running = Group()  # the work of this process


def init_app(app: Flask) -> None:
    """Have a draining worker wait for the work whose callers may have left."""
    LIFECYCLE.of(app).ends_after(lambda: not _running)


def finish(seconds: float) -> None:
    """Wait for the work of this process, at most so long, as a draining worker does."""
    _running.join(seconds)


def run_detached(work: Callable[[], T], failure: str) -> T:
    """Do work in a separate greenlet, which continues if the caller is interrupted.

    Needs an app context, and gives the work another one. Raises the work's exception. If the caller
    was interrupted, the exception is logged instead, as the event `failure`.
    """
    app: Any = current_app._get_current_object()  # type: ignore[attr-defined]

    def carry() -> T:
        with usual_time_limit(), app.app_context():
            return work()

    running = _running.spawn(wrap_errors(Exception, carry))  # or gevent would print the error
    with OnFailure(partial(running.rawlink, partial(_log_error, failure))):
        done = running.get()
    if isinstance(done, Exception):
        raise done
    result: T = done
    return result


def _log_error(failure: str, ended: gevent.Greenlet) -> None:
    if isinstance(ended.value, Exception):
        log.warning(failure, error=type(ended.value).__name__)
