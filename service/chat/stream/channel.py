"""The bounded channel between a turn's greenlet and its response."""

from collections import deque
from typing import Any

from gevent import get_hub, getcurrent
from gevent.event import Event

from service.chat.stream.chunks import Chunk

Item = Chunk | bytes  # bytes: a chunk that another worker has encoded
LIMIT = 256  # chunks: a slow reader holds the turn back, not the memory


class Channel:
    """One greenlet puts chunks in, another takes all that are ready at once.

    `put` never waits: its caller may be interrupted where it waits, and would lose a chunk that is
    part of the stored answer. After `abandon()` nobody reads any more: chunks are dropped, and
    nobody waits.
    """

    def __init__(self) -> None:
        self._chunks: deque[Item] = deque()
        self._reader: Any = None  # the greenlet that waits
        self._waking = False
        self._room = Event()
        self._waiting = False
        self.closed = False
        self.abandoned = False

    def put(self, chunk: Item) -> bool:
        """Whether the channel is full now."""
        if self.abandoned:
            return False
        self._chunks.append(chunk)
        if self._reader is not None and not self._waking:
            self._wake()
        return len(self._chunks) >= LIMIT

    def wait_for_room(self) -> None:
        while self.full:
            self._waiting = True
            self._room.clear()
            self._room.wait()
            self._waiting = False

    def close(self) -> None:
        """No more chunks will come."""
        self.closed = True
        self._wake()

    def abandon(self) -> None:
        self.abandoned = True
        self._chunks.clear()
        self._wake()
        self._room.set()

    def take(self) -> list[Item]:
        """All chunks that are ready. Waits for the first one, and returns none after a nudge."""
        if not self._chunks and not self.closed and not self.abandoned:
            self._reader = getcurrent()
            try:
                get_hub().switch()  # an Event, or a timeout, would cost a token 3 µs
            finally:
                self._reader = None
        ready = list(self._chunks)
        self._chunks.clear()
        if self._waiting:
            self._room.set()
        return ready

    def nudge(self) -> None:
        """Wake the reader although no chunk has come."""
        self._wake()

    def _wake(self) -> None:
        if self._reader is not None and not self._waking:
            self._waking = True
            get_hub().loop.run_callback(self._switch)

    def _switch(self) -> None:
        self._waking = False
        if self._reader is not None:
            self._reader.switch()

    @property
    def full(self) -> bool:
        return len(self._chunks) >= LIMIT

    @property
    def ended(self) -> bool:
        """Closed or abandoned, and everything taken."""
        return self.abandoned or (self.closed and not self._chunks)
