"""Begin the spans of traces. None are recorded unless `service/tracing` is set up.

The ids of the current span are facts of the greenlet (`attribution.py`), so greenlets that are
spawned later inherit them, and log lines have them. A span in a generator must not be made current:
other code of its greenlet runs between two of its values.
"""

from collections.abc import Callable
from typing import Any, Protocol


class Span(Protocol):
    """A context manager that ends the span, as failed after an exception."""

    def set(self, **attributes: Any) -> None:
        """Add attributes; `__` in a name stands for a dot. None is left out."""

    def content(self, **texts: Callable[[], Any]) -> None:
        """Add the results of these functions: texts of people or models, if OTEL_CONTENT is on."""

    def fail(self, kind: str) -> None:
        """Mark the span as failed. `kind` is our name for the failure."""

    def end(self) -> None:
        """End the span. The span that was current before it is current again."""

    def __enter__(self) -> "Span": ...

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None: ...


class Tracer(Protocol):
    def start(self, name: str, kind: str, current: bool) -> Span: ...

    def start_request(self, name: str, traceparent: str) -> Span: ...


class NoSpan:
    """The span that replaces every span while traces are off."""

    def set(self, **attributes: Any) -> None: ...

    def content(self, **texts: Callable[[], Any]) -> None: ...

    def fail(self, kind: str) -> None: ...

    def end(self) -> None: ...

    def __enter__(self) -> Span:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None: ...


NO_SPAN: Span = NoSpan()
_tracer: Tracer | None = None  # of this process


def record_with(tracer: Tracer | None) -> None:
    """Let `tracer` record the spans of this process. None turns spans off."""
    global _tracer  # noqa: PLW0603 - a check of it is all that spans cost while they are off
    _tracer = tracer


def are_recorded() -> bool:
    return _tracer is not None


def start(name: str, kind: str = "internal", current: bool = True) -> Span:
    """Begin a span below the current one. `kind` is `internal` or `client`."""
    return _tracer.start(name, kind, current) if _tracer else NO_SPAN


def start_request(name: str, traceparent: str) -> Span:
    """Begin the span of an incoming request, below the span in its header `traceparent`."""
    return _tracer.start_request(name, traceparent) if _tracer else NO_SPAN
