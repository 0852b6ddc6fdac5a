"""Logs, metrics and request ids.

One JSON line for each request and for each upstream call, on standard error. Secret values are
removed from every line by their value. `stray.py` writes the lines of libraries and Python in the
same form.
"""

import os
import re
import sys
import time
import traceback
import uuid
from collections.abc import Iterable, Iterator
from typing import Any

import structlog
from flask import Flask, Response, g, request
from prometheus_client import REGISTRY, CollectorRegistry, Counter, Histogram, values
from prometheus_client.multiprocess import MultiProcessCollector

from service import attribution

REQUESTS = Counter("http_requests_total", "Answered requests.", ["method", "route", "status"])
REQUEST_SECONDS = Histogram(
    "http_request_seconds", "Time until the last byte of an answer, seconds.", ["route"]
)
UPSTREAM_CALLS = Counter("upstream_calls_total", "Calls to upstreams.", ["upstream", "outcome"])
COMPACTIONS = Counter("compactions_total", "Turns whose history was compacted.", ["stage"])
TURNS = Counter("turns_total", "Ended turns.", ["model", "status"])

FRAMES = 30  # of an exception, in the log
REQUEST_ID = re.compile(r"[A-Za-z0-9._:-]{1,128}")

log = structlog.get_logger("request")


class Redactor:
    """Replaces secret values in every string of a log line."""

    def __init__(self) -> None:
        self.pattern: re.Pattern[str] | None = None

    def hide(self, secrets: Iterable[str]) -> None:
        # Short values would blot out ordinary words; no real key is that short.
        worth = sorted({re.escape(value) for value in secrets if len(value) >= 8}, key=len)
        self.pattern = re.compile("|".join(reversed(worth))) if worth else None

    def __call__(self, _logger: object, _method: str, event: dict[str, Any]) -> dict[str, Any]:
        return self._clean(event) if self.pattern else event

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
    """Of an exception, its types and where it was raised, not its text: that may repeat SQL, what
    an upstream has answered, or what a user has written."""
    given = event.pop("exc_info", None)
    error = given if isinstance(given, BaseException) else sys.exc_info()[1] if given else None
    if error is not None:
        frames = traceback.extract_tb(error.__traceback__)[-FRAMES:]
        event["exception"] = list(_kinds(error))
        event["at"] = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames]
    return event


def _kinds(error: BaseException | None) -> Iterator[str]:
    """The type of an exception, and of those that it came from."""
    while error:
        yield f"{type(error).__module__}.{type(error).__qualname__}"
        error = error.__cause__ or error.__context__


def _attribute(_logger: object, _method: str, event: dict[str, Any]) -> dict[str, Any]:
    """Add the worker and the greenlet's facts to a line, which may overrule them."""
    return {"worker": os.getpid(), **attribution.facts_here(), **event}


PROCESSORS: list[Any] = [
    _attribute,
    structlog.processors.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
    place_of_error,
    redactor,
    # A value that is not JSON is named by its type: its repr may show what is in it.
    structlog.processors.JSONRenderer(default=lambda value: type(value).__name__),
]


def write_line(level: str, event: str, **facts: Any) -> None:
    """Write a log line without any lock: for other threads, and from within a log call."""
    line: Any = {"event": event, **facts}
    for processor in PROCESSORS:
        line = processor(None, level, line)
    os.write(2, f"{line}\n".encode(errors="replace"))


def configure_logs(secrets: Iterable[str]) -> None:
    redactor.hide(secrets)
    structlog.configure(
        processors=PROCESSORS,
        # Looked up at each line: a test or a server may have put another stream there.
        logger_factory=lambda *_: structlog.PrintLogger(sys.stderr),
        cache_logger_on_first_use=False,
    )


def init_app(app: Flask) -> None:
    app.before_request(_begin)
    app.after_request(_end)


def _begin() -> None:
    given = request.headers.get("X-Request-Id", "")
    g.request_id = given if REQUEST_ID.fullmatch(given) else uuid.uuid4().hex
    g.began = time.perf_counter()
    attribution.begin(request_id=g.request_id, route=_route())


def _route() -> str:
    """The pattern, never the path: an id in a label would make a new time series for each chat."""
    return request.url_rule.rule if request.url_rule else "unmatched"


def _end(response: Response) -> Response:
    """Headers now; the log line and the metrics once the last byte has been handed over."""
    response.headers["X-Request-Id"] = g.request_id
    route = _route()
    facts = {"method": request.method, "route": route, "status": response.status_code}
    request_id, began = g.request_id, g.began

    @response.call_on_close
    def closed() -> None:
        seconds = time.perf_counter() - began
        REQUESTS.labels(facts["method"], route, facts["status"]).inc()
        REQUEST_SECONDS.labels(route).observe(seconds)
        log.info("answered", **facts, request_id=request_id, ms=round(seconds * 1000, 1))

    return response


def metrics_registry() -> CollectorRegistry:
    """All workers' figures where gunicorn.conf.py has made a directory for them, else our own."""
    if values.ValueClass is values.MutexValue:
        return REGISTRY
    registry = CollectorRegistry()
    MultiProcessCollector(registry)
    return registry
