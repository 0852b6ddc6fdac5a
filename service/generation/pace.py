"""Reading a fast stream at intervals, so that several tokens share one read and one write.

Each read costs a wake-up and a write, however few bytes it returns. A stream counts as fast above
some 80 reads a second, where a delay of 30 ms is not visible. Slower streams, and the first tokens
of each, are read at once.
"""

import time
from collections.abc import Callable

import gevent

INTERVAL = 0.03  # seconds between two reads of a fast stream
FAST = 0.012  # seconds: a read that waits less is fast
STREAK = 8  # fast reads in a row before the interval applies

Read = Callable[[], bytes]


class PacedReader:
    """Wraps a stream's `read`. Bytes that arrive between two reads wait in the kernel."""

    def __init__(
        self,
        read: Read,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], object] = gevent.sleep,
    ) -> None:
        self._read, self._clock, self._sleep = read, clock, sleep
        self._streak = 0

    def read(self) -> bytes:
        if self._streak >= STREAK:
            self._sleep(INTERVAL)
        began = self._clock()
        data = self._read()
        self._streak = self._streak + 1 if self._clock() - began < FAST else 0
        return data
