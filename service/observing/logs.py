"""Log lines: JSON on standard error, for example for each request and each upstream call.

Secrets are removed from every line by their values. `stderr_lines.py` writes the messages of
libraries and Python in the same form.
"""

import io
import os
import re
import sys
import traceback
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import structlog

from service.json_encoding import encoder
from service.observing import attribution
from service.observing.measures import LINES_LOST
from service.times import utc_text

FRAMES = 30  # of an exception, in the log
WITHOUT_TEXT = (int, float, bool, type(None))

log = structlog.get_logger("request")


class Redactor:
    """Replace secret values in every string of a log line."""

    def __init__(self) -> None:
        self.pattern: re.Pattern[str] | None = None

    def hide(self, secrets: Iterable[str]) -> None:
        # Short values could be ordinary words. No real key is that short.
        patterns = sorted({re.escape(value) for value in secrets if len(value) >= 8}, key=len)
        self.pattern = re.compile("|".join(reversed(patterns))) if patterns else None

    def __call__(self, _logger: object, _method: str, event: dict[str, Any]) -> dict[str, Any]:
        return self._clean(event) if self._may_show(event) else event

    def _may_show(self, event: dict[str, Any]) -> bool:
        """Return whether a line may contain a secret. For most lines, one search excludes it."""
        if not self.pattern:
            return False
        texts = [value for value in event.values() if type(value) not in WITHOUT_TEXT]
        is_flat = set(map(type, texts)) <= {str}
        return not is_flat or self.pattern.search("\0".join(texts)) is not None

    def _clean(self, value: Any) -> Any:
        match value:
            case str():
                return self.pattern.sub("[secret]", value) if self.pattern else value
            case dict():
                return {key: self._clean(item) for key, item in value.items()}
            case list() | tuple():
                return [self._clean(item) for item in value]
            case _:
                return value


redactor = Redactor()


def place_of_error(_logger: object, _method: str, event: dict[str, Any]) -> dict[str, Any]:
    """Replace an exception by its types and its place.

    The exception's text is not logged, because it may repeat SQL, an upstream's answer, or a user's
    text.
    """
    info = event.pop("exc_info", None)
    error = info if isinstance(info, BaseException) else sys.exc_info()[1] if info else None
    if error is not None:
        frames = traceback.extract_tb(error.__traceback__)[-FRAMES:]
        event["exception"] = list(_type_names(error))
        event["at"] = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames]
    return event


def _type_names(error: BaseException | None) -> Iterator[str]:
    """Yield the type of an exception and the types of its causes, which may lead back to it."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield f"{type(error).__module__}.{type(error).__qualname__}"
        error = error.__cause__ or error.__context__


def _add_facts(_logger: object, _method: str, event: dict[str, Any]) -> dict[str, Any]:
    """Add the worker and the greenlet's facts to a line, whose own fields take precedence."""
    return {"worker": os.getpid(), **attribution.current_facts(), **event}


def _add_time(_logger: object, _method: str, event: dict[str, Any]) -> dict[str, Any]:
    """Add the time to a line. structlog's own processor takes three times as long."""
    event["timestamp"] = f"{utc_text(datetime.now(UTC), 'T')}Z"
    return event


# A value that is not JSON is replaced by its type's name, because its repr may show secrets.
_encode_event = encoder(
    ensure_ascii=True, separators=(", ", ": "), default=lambda value: type(value).__name__
)


def _encode(_logger: object, _method: str, event: dict[str, Any]) -> str:
    return _encode_event(event)


PROCESSORS: list[Any] = [
    _add_facts,
    structlog.processors.add_log_level,
    _add_time,
    place_of_error,
    redactor,
    _encode,
]


class StandardError:
    """Standard error for log lines. A line that can't be written as a whole is lost.

    The log's disk may be full, or its reader may be slow or have ended. No request and no turn may
    fail because of that. A line goes directly to the descriptor: Python's buffer would keep a line
    that could not be written, write it later, and join it to others. `sys.stderr` is read for each
    line, because tests and servers may replace it.
    """

    def __init__(self) -> None:
        self._is_cut = False  # whether the last line has no end

    def write(self, line: str) -> None:
        """Write a line, which includes its line feed."""
        stream: Any = sys.stderr
        try:
            descriptor = stream.fileno()
        except io.UnsupportedOperation:  # in memory
            stream.write(line)
        except (AttributeError, ValueError):  # no standard error, or a closed one
            LINES_LOST.inc()
        else:
            self._send(descriptor, line.encode(errors="replace"))

    def _send(self, descriptor: int, line: bytes) -> None:
        rest = whole = b"\n" + line if self._is_cut else line
        try:
            while rest:
                rest = rest[os.write(descriptor, rest) :]
        except OSError:
            LINES_LOST.inc()
        self._is_cut = 0 < len(rest) < len(whole) or (self._is_cut and rest == whole)

    def flush(self) -> None:
        """Do nothing, because no line is buffered."""


STANDARD_ERROR: Any = StandardError()


def write_line(level: str, event: str, **facts: Any) -> None:
    """Write a log line without a lock, for other threads and for calls during logging."""
    line: Any = {"event": event, **facts}
    for processor in PROCESSORS:
        line = processor(None, level, line)
    with suppress(OSError):
        os.write(2, f"{line}\n".encode(errors="replace"))


def log_info(event: str, **facts: Any) -> None:
    """Write a line of level `info` as structlog does, in two thirds of its time.

    Use it for lines that every request or every call logs.
    """
    line: Any = {"event": event, **facts}
    try:
        for processor in PROCESSORS:
            line = processor(None, "info", line)
    except structlog.DropEvent:
        return
    STANDARD_ERROR.write(f"{line}\n")


def configure_logs(secrets: Iterable[str]) -> None:
    redactor.hide(secrets)
    structlog.configure(
        processors=PROCESSORS,
        logger_factory=lambda *_: structlog.WriteLogger(STANDARD_ERROR),
        cache_logger_on_first_use=False,
    )
