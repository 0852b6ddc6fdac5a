"""JSON lines without values for what libraries, Python and gevent write to standard error.

Libraries log through the standard library, Python prints warnings and uncaught exceptions, gevent
prints those of greenlets. Their texts and tracebacks repeat SQL, addresses and users' texts. A line
has the type, the place and, for a log message, its constant part.
"""

import logging
import sys
import threading
import warnings
from types import TracebackType
from typing import Any, TextIO

from gevent.hub import Hub

from service.observe import write_line


class JsonHandler(logging.Handler):
    """Writes a record of the standard library's logging as a JSON line."""

    def emit(self, record: logging.LogRecord) -> None:
        write_line(
            record.levelname.lower(),
            _constant(record) or "logged",
            logger=record.name,
            place=f"{record.pathname}:{record.lineno} {record.funcName}",
            **_told(record.exc_info[1] if record.exc_info else None),
        )


def _constant(record: logging.LogRecord) -> str | None:
    """The message without its values; None if it is not a constant of the code that logs it.

    A constant contains only what the authors of that code have written.
    """
    frame = sys._getframe()
    while frame and frame.f_code.co_filename != record.pathname:
        frame = frame.f_back
    while frame and frame.f_code.co_name != record.funcName:
        frame = frame.f_back
    return record.msg if frame and record.msg in frame.f_code.co_consts else None


def take_over() -> None:
    """Replace the handlers and hooks, for the rest of this process."""
    root = logging.getLogger()
    root.handlers[:] = [JsonHandler(logging.WARNING)]
    # Some loggers bring handlers of their own, which write to standard error in their own form.
    for name in list(logging.root.manager.loggerDict):
        if not name.startswith("gunicorn"):
            logging.getLogger(name).handlers.clear()
    warnings.showwarning = _warned
    sys.excepthook = _uncaught
    sys.unraisablehook = _unraisable
    threading.excepthook = _ended_thread
    Hub.print_exception = _failed_greenlet  # of the class: each thread of gevent's has a hub


def _warned(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    write_line("warning", "warned", category=_name(category), place=f"{filename}:{lineno}")


def _uncaught(
    kind: type[BaseException], error: BaseException, _traceback: TracebackType | None
) -> None:
    write_line("critical", "uncaught", **_told(error))


def _unraisable(raised: Any) -> None:
    write_line("error", "unraisable", object=_name(type(raised.object)), **_told(raised.exc_value))


def _ended_thread(raised: Any) -> None:
    write_line("error", "thread failed", **_told(raised.exc_value))


def _failed_greenlet(
    _hub: Hub, context: Any, kind: Any, error: Any, _traceback: TracebackType | None
) -> None:
    """In the place of gevent's own, which prints the traceback and the greenlet with its
    arguments."""
    write_line("error", "greenlet failed", context=_name(type(context)), **_told(error))


def _told(error: BaseException | None) -> dict[str, Any]:
    return {"exc_info": error} if error is not None else {}


def _name(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"
