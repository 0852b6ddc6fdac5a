"""Count the calls or the lines of a computation, which are the same on every machine."""

import sys
from collections.abc import Callable
from typing import Any


def count_calls(work: Callable[[], object]) -> int:
    """Return how many functions the work calls, including those written in C."""
    count = 0

    def note(_frame: object, event: str, _argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(before)
    return count


def count_lines(work: Callable[[], object]) -> int:
    """Return how many lines of Python the work executes; a loop in one line counts each round."""
    count = 0

    def note(_frame: object, event: str, _argument: object) -> Any:
        nonlocal count
        count += event == "line"
        return note

    before = sys.gettrace()
    sys.settrace(note)
    try:
        work()
    finally:
        sys.settrace(before)
    return count
