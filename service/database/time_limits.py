"""Limit the time that a statement may take."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

STATEMENT_SECONDS = 10.0

_deadline: ContextVar[float | None] = ContextVar("deadline", default=None)


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """End the statements in this context `seconds` from now. Infinity means no limit."""
    token = _deadline.set(time.monotonic() + seconds)
    try:
        yield
    finally:
        _deadline.reset(token)


@contextmanager
def usual_time_limit() -> Iterator[None]:
    """Run work without the caller's limit, because the work no longer belongs to the caller."""
    token = _deadline.set(None)
    try:
        yield
    finally:
        _deadline.reset(token)


def seconds_left() -> float:
    """Return the seconds that a statement that begins now may take."""
    deadline = _deadline.get()
    return STATEMENT_SECONDS if deadline is None else max(deadline - time.monotonic(), 0.001)


def has_limit() -> bool:
    """Return whether a limit other than the usual one applies."""
    return _deadline.get() is not None
