"""The bounded channel between a turn's greenlet and its response."""

from collections.abc import Callable, Sequence

from gevent import get_hub, getcurrent
from gevent.event import Event

from service.chat.stream.chunks import Chunk, TextDelta
from service.web.pauses import Pause

Item = Chunk | bytes  # bytes: a chunk that another worker has encoded
TEXT = (TextDelta, bytes)
MOST_CHUNKS = 256  # for a slow reader the turn waits, instead of using more memory


class Channel:
    """One greenlet puts chunks in, another takes all chunks that are ready at once.

    `put` never waits. Its caller may be interrupted where it waits, and would lose a chunk that is
    part of the stored answer. After `abandon()` nobody reads any more: chunks are dropped, and
    nobody waits.
    `write`, if it is set, gets text in the event loop while the reader waits, which saves a switch
    to the reader and back. It must not wait. It returns whether the reader may continue to wait.
    """

    __slots__ = (
        "_chunks", "_is_parked", "_resume", "_room", "_waking", "abandoned", "closed", "write"
    )  # fmt: skip

    def __init__(self) -> None:
        self._chunks: list[Item] = []
        self._resume: Callable[[], object] | None = None  # while the reader waits
        self._is_parked = False  # whether the reader waits without a greenlet
        self._waking = False
        self._room: Event | None = None  # while a greenlet waits for it
        self.closed = False
        self.abandoned = False
        self.write: Callable[[Sequence[Item]], bool] | None = None

    def put(self, chunk: Item) -> bool:
        """Put a chunk in; returns whether the channel is full now."""
        if self.abandoned:
            return False
        self._chunks.append(chunk)
        if self._resume and not self._waking:
            self._wake()
        return len(self._chunks) >= MOST_CHUNKS

    def put_text(self, deltas: Sequence[TextDelta]) -> None:
        """Put text in from the event loop. A waiting reader gets it at once.

        Scheduling a callback instead would cost one round of the event loop for each token.
        """
        if self.abandoned:
            return
        if self.write and self._resume and not self._waking:
            if not self.write(deltas):
                self._go_on()  # the reader sends the rest first
            return
        for delta in deltas:
            self.put(delta)

    def wait_for_room(self) -> None:
        while self.full:
            self._room = Event()
            try:
                self._room.wait()
            finally:
                self._room = None

    def close(self) -> None:
        """Mark that no more chunks will come."""
        self.closed = True
        self.write = None  # otherwise channel and reader would be a cycle
        self._wake()

    def abandon(self) -> None:
        self.abandoned = True
        self.write = None
        self.take_ready()
        self._wake()

    def take(self) -> list[Item]:
        """Return all chunks that are ready; returns none after a nudge.

        It waits for the first chunk, unless the reader was parked and continues now.
        """
        if self._is_parked:
            self._is_parked = False
        elif not self._has_news:
            self._resume = getcurrent().switch
            try:
                get_hub().switch()  # an Event, or a timeout, would cost a token 3 µs
            finally:
                self._resume = None
        return self.take_ready()

    def pause(self) -> Pause | None:
        """Return how the reader waits without a greenlet; None if it need not wait."""
        return None if self._has_news else Pause.until(self._park)

    def _park(self, resume: Callable[[], object]) -> None:
        self._resume, self._is_parked = resume, True
        if self._has_news:
            self._wake()

    @property
    def _has_news(self) -> bool:
        return bool(self._chunks) or self.closed or self.abandoned

    def nudge(self) -> None:
        """Wake the reader although no chunk has come."""
        self._wake()

    def _wake(self) -> None:
        if self._resume and not self._waking:
            self._waking = True
            get_hub().loop.run_callback(self._hand_over)

    def _hand_over(self) -> None:
        """Write the chunks that are ready, or resume the reader. Called by the event loop."""
        self._waking = False
        if not self._resume:
            return
        write = self.write if self._is_text() else None
        if write and write(self.take_ready()):
            return
        self._go_on()

    def _go_on(self) -> None:
        resume, self._resume = self._resume, None
        if resume:
            resume()

    def _is_text(self) -> bool:
        """Return whether something is ready and all of it is text, whose encoding can't fail."""
        ready = self._chunks
        if len(ready) == 1:  # nearly always
            return type(ready[0]) in TEXT
        return bool(ready) and all(type(chunk) in TEXT for chunk in ready)

    def take_ready(self) -> list[Item]:
        """Return all chunks that are ready, without waiting."""
        ready, self._chunks = self._chunks, []
        if self._room:
            self._room.set()
        return ready

    @property
    def full(self) -> bool:
        return len(self._chunks) >= MOST_CHUNKS

    @property
    def ended(self) -> bool:
        """Whether it is abandoned, or closed and everything was taken."""
        return self.abandoned or (self.closed and not self._chunks)
