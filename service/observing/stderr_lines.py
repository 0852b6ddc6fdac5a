"""JSON log lines in place of the texts that libraries, Python and gevent write to standard error.

Libraries log with the standard library, Python prints warnings and uncaught exceptions, and gevent
prints exceptions of greenlets. Their texts and tracebacks may repeat SQL, addresses and users'
texts. A line has only the type, the place and, for a log message, its constant part.
"""

import logging
import sys
import threading
import warnings
from types import FrameType, TracebackType
from typing import Any, TextIO

from gevent.hub import Hub

from service.observing.logs import write_line


class JsonHandler(logging.Handler):
    """Write a record of the standard library's logging as a JSON line."""

    def emit(self, record: logging.LogRecord) -> None:
        write_line(
            record.levelname.lower(),
            _constant(record) or "logged",
            logger=record.name,
            place=f"{record.pathname}:{record.lineno} {record.funcName}",
            exc_info=record.exc_info[1] if record.exc_info else None,
        )


def _constant(record: logging.LogRecord) -> str | None:
    """Return the message without its values, or None if it is not a constant of the caller's code.

    A constant contains only text by the authors of that code.
    """
    frame: FrameType | None = sys._getframe()
    while frame and frame.f_code.co_filename != record.pathname:
        frame = frame.f_back
    while frame and frame.f_code.co_name != record.funcName:
        frame = frame.f_back
    return record.msg if frame and record.msg in frame.f_code.co_consts else None


def install() -> None:
    """Replace the handlers and hooks for the rest of this process."""
    root = logging.getLogger()
    root.handlers[:] = [JsonHandler(logging.WARNING)]
    # Some loggers have their own handlers, which write to standard error in another form.
    for name in list(logging.root.manager.loggerDict):
        if not name.startswith("gunicorn"):
            logging.getLogger(name).handlers.clear()
    warnings.showwarning = _log_warning
    sys.excepthook = _log_uncaught
    sys.unraisablehook = _log_unraisable
    threading.excepthook = _log_thread
    Hub.print_exception = _log_greenlet  # on the class, because each of gevent's threads has a hub


def _log_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    write_line("warning", "warned", category=_name(category), place=f"{filename}:{lineno}")


def _log_uncaught(
    kind: type[BaseException], error: BaseException, _traceback: TracebackType | None
) -> None:
    write_line("critical", "uncaught", exc_info=error)


def _log_unraisable(hook: Any) -> None:
    write_line("error", "unraisable", object=_name(type(hook.object)), exc_info=hook.exc_value)


def _log_thread(hook: Any) -> None:
    write_line("error", "thread failed", exc_info=hook.exc_value)


def _log_greenlet(
    _hub: Hub, context: Any, kind: Any, error: Any, _traceback: TracebackType | None
) -> None:
    """Log a failed greenlet. gevent would print the traceback and the greenlet's arguments."""
    write_line("error", "greenlet failed", context=_name(type(context)), exc_info=error)


def _name(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"
