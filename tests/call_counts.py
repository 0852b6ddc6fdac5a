"""Count the function calls of a computation, which are the same on every machine."""

import sys
from collections.abc import Callable


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
