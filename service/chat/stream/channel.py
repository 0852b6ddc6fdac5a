"""The bounded channel between a turn's greenlet and its response."""

from collections.abc import Callable
from typing import Any

from gevent import get_hub, getcurrent
from gevent.event import Event

from service.chat.stream.chunks import Chunk, TextDelta

Item = Chunk | bytes  # bytes: a chunk that another worker has encoded
TEXT = (TextDelta, bytes)
LIMIT = 256  # chunks: a slow reader holds the turn back, not the memory


class Channel:
    """One greenlet puts chunks in, another takes all that are ready at once.

    `put` never waits: its caller may be interrupted where it waits, and would lose a chunk that is
    part of the stored answer. After `abandon()` nobody reads any more: chunks are dropped, and
    nobody waits.

    `write`, if set, gets text in the event loop while the reader waits, which saves a switch to the
    reader and back. It must not wait. It returns whether the reader may go on waiting.
    """

    __slots__ = ("_chunks", "_reader", "_room", "_waking", "abandoned", "closed", "write")

    def __init__(self) -> None:
        self._chunks: list[Item] = []
        self._reader: Any = None  # the greenlet that waits
        self._waking = False
        self._room: Event | None = None  # while somebody waits for it
        self.closed = False
        self.abandoned = False
        self.write: Callable[[list[Item]], bool] | None = None

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
            self._room = Event()
            try:
                self._room.wait()
            finally:
                self._room = None

    def close(self) -> None:
        """No more chunks will come."""
        self.closed = True
        self._wake()

    def abandon(self) -> None:
        self.abandoned = True
        self._take_ready()
        self._wake()

    def take(self) -> list[Item]:
        """All chunks that are ready. Waits for the first one, and returns none after a nudge."""
        if not self._chunks and not self.closed and not self.abandoned:
            self._reader = getcurrent()
            try:
                get_hub().switch()  # an Event, or a timeout, would cost a token 3 µs
            finally:
                self._reader = None
        return self._take_ready()

    def nudge(self) -> None:
        """Wake the reader although no chunk has come."""
        self._wake()

    def _wake(self) -> None:
        if self._reader is not None and not self._waking:
            self._waking = True
            get_hub().loop.run_callback(self._hand_over)

    def _hand_over(self) -> None:
        """Called by the event loop: write what is ready, or switch to the reader."""
        self._waking = False
        if self._reader is None:
            return
        write = None if self.closed or not self._is_text() else self.write
        if write and write(self._take_ready()):
            return
        self._reader.switch()

    def _is_text(self) -> bool:
        """Whether something is ready, and only text, whose encoding can't fail."""
        ready = self._chunks
        if len(ready) == 1:  # nearly always
            return type(ready[0]) in TEXT
        return bool(ready) and all(type(chunk) in TEXT for chunk in ready)

    def _take_ready(self) -> list[Item]:
        ready, self._chunks = self._chunks, []
        if self._room:
            self._room.set()
        return ready

    @property
    def full(self) -> bool:
        return len(self._chunks) >= LIMIT

    @property
    def ended(self) -> bool:
        """Closed or abandoned, and everything taken."""
        return self.abandoned or (self.closed and not self._chunks)
