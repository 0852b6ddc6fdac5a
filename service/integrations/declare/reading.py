"""Readers of a vendor's answer. An answer without the documented shape is the vendor's failure.

Vendors' answers are read only with these functions, which raise `Unusable`, and with
`json_paths.find` for optional values. So any other error is our mistake: a 500, with its place in
the log.
Source: docs/contract.md, section 3.10.
"""

import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import structlog

from service.web.errors import UpstreamFailed

log = structlog.get_logger("integrations")

Fault = tuple[str, str]  # the path, and the place in the code

# The faults in an item that may be left out, and the items left out of the call's answers.
_held: ContextVar[list[Fault] | None] = ContextVar("held", default=None)
_left_out: ContextVar[Counter[Fault] | None] = ContextVar("left_out", default=None)


class Unusable(UpstreamFailed):
    """The upstream has sent an unusable answer: it has another shape, or is too large."""


def unusable(path: str = "") -> Unusable:
    """Log the fault's path, but no content, which may be private. Return the error."""
    _log_faults([_fault(path)])
    return Unusable("The upstream's answer is not as documented.", upstreamStatus=None)


def _fault(path: str) -> Fault:
    """Return the path or the reader's name, with the first place outside this package."""
    frame = sys._getframe(2)
    while frame.f_back and frame.f_globals["__name__"].startswith(__package__):
        frame = frame.f_back
    where = f"{frame.f_globals['__name__']}:{frame.f_lineno}"
    return path or frame.f_code.co_name, where


def _log_faults(faults: list[Fault]) -> None:
    held = _held.get()
    if held is not None:
        held += faults
        return
    for of, where in faults:
        log.warning("wrong shape", of=of, at=where)


@contextmanager
def optional_item() -> Iterator[None]:
    """Read an item that may be left out. The faults of an item that is left out are not logged."""
    held: list[Fault] = []
    token = _held.set(held)
    try:
        yield
    finally:
        _held.reset(token)
    _log_faults(held)


def leave_out(path: str, count: int) -> None:
    """Count items of a list that were left out, for the log."""
    counts, fault = _left_out.get(), _fault(path)
    if counts is None:
        _tell_left_out(Counter({fault: count}))
    else:
        counts[fault] += count


@contextmanager
def counting_left_out() -> Iterator[None]:
    """Log the items left out in this context once for each list, even with many answers."""
    counts: Counter[Fault] = Counter()
    token = _left_out.set(counts)
    try:
        yield
    finally:
        _left_out.reset(token)
        _tell_left_out(counts)


def _tell_left_out(counts: Counter[Fault]) -> None:
    for (of, where), count in counts.items():
        log.info("items left out", of=of, at=where, count=count)


def need(item: Any, path: str) -> Any:
    """Return the value at a `dotted.path`. It may be null, but must exist.

    Raises `Unusable`.
    """
    for name in path.split("."):
        if not isinstance(item, Mapping) or name not in item:
            raise unusable()
        item = item[name]
    return item


def text(item: Any, path: str) -> str:
    """Return the text at a `dotted.path`. Raises `Unusable`."""
    value = need(item, path)
    if not isinstance(value, str):
        raise unusable()
    return value


def as_object(value: Any) -> Mapping[str, Any]:
    """Return `value`, which must be an object. Raises `Unusable`."""
    if not isinstance(value, Mapping):
        raise unusable()
    return value


def as_list(value: Any) -> list[Any]:
    """Return `value`, which must be a list. Raises `Unusable`."""
    if not isinstance(value, list):
        raise unusable()
    return value


def objects(value: Any) -> list[Mapping[str, Any]]:
    """Return `value`, which must be a list of objects. Raises `Unusable`."""
    found = as_list(value)
    if not all(isinstance(item, Mapping) for item in found):
        raise unusable()
    return found
