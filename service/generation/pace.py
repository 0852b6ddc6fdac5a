"""Read a fast stream at intervals, so that several tokens share one read and one write.

Each read costs a wake-up and a write, however few bytes it returns. A stream counts as fast above
about 80 reads a second, where a delay of 30 ms is not visible. Slower streams, and the first tokens
of each stream, are read at once.
"""

import time
from collections.abc import Callable
from typing import Any

import gevent

INTERVAL = 0.03  # seconds between two reads of a fast stream
FAST = 0.012  # seconds: a read that waits less is fast
VERY_FAST = 0.002  # seconds: such a read counts as several
VERY_FAST_COUNTS = 2
STREAK = 8  # fast reads in a row before the interval applies

ReadBytes = Callable[..., bytes]


class PacedReader:
    """Wraps a stream's `read`. Bytes that arrive between two reads wait in the kernel.

    While `read` waits, `offer` may take the pieces of a slow stream at once.
    """

    __slots__ = ("_began", "_is_parked", "_read", "_streak")

    def __init__(self, read: ReadBytes) -> None:
        self._read = read
        self._streak = 0
        self._began = 0.0
        self._is_parked = False

    def park(self) -> bool:
        """Return whether pieces may be taken without a call of `read`. False for a fast stream."""
        if self._streak >= STREAK - 1:
            return False
        self._is_parked = True
        self._began = time.monotonic()
        return True

    def read(self, *offered: Any) -> bytes:
        """Read the next bytes. `offered` is passed to the stream's own `read`."""
        if self._is_parked:
            self._is_parked = False
        else:
            if self._streak >= STREAK:
                gevent.sleep(INTERVAL)
            self._began = time.monotonic()
        data = self._read(*offered)
        self._count()
        return data

    def offer(self, piece: bytes, take: Callable[[bytes], bool]) -> bool:
        """Return whether a piece was taken. For a fast stream it is not: `read` can wait."""
        if self._streak >= STREAK - 1 or not take(piece):
            return False
        self._count()
        return True

    def _count(self) -> None:
        now = time.monotonic()
        waited = now - self._began
        if waited >= FAST:
            self._streak = 0
        else:
            self._streak += 1 if waited >= VERY_FAST else VERY_FAST_COUNTS
        self._began = now
