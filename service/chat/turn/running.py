"""One running turn with all its parts, and all turns that run in this worker."""

import socket
import time
from collections.abc import Callable, Iterator
from math import inf
from typing import Any

import gevent

from service.app_keys import AppKey
from service.background import BackgroundWork
from service.chat.claims import EndReason
from service.chat.earlier_writes import EarlierWrites
from service.chat.question import Question
from service.chat.stream import chunks
from service.chat.stream.channel import Channel
from service.chat.stream.chunk_log import ChunkLog
from service.chat.stream.chunks import Chunk, TextDelta
from service.chat.stream.direct import DirectWriter
from service.chat.stream.parts import Assembly
from service.chat.stream.reader import Reader
from service.chat.turn.hold import TurnHold
from service.chat.turn.interruption import Interruption
from service.chat.turn.tally import Tally
from service.generation.deadline import Deadline
from service.limits.concurrency import Ticket
from service.observing import spans
from service.providers.events import ProviderError

RUNS = AppKey["Runs"]("runs")
TICK_SECONDS = 0.25
DRAIN_MARGIN = 3.0  # seconds of the grace time that are kept for the rows and the last chunks
END_SECONDS = 0.01  # for each turn: a busy worker stores two hundred turns a second


class Run:
    """One running turn.

    `assembly` is the answer so far, `tally` its usage, `hold` its credits. `deadline` limits the
    model, `interruption` ends the turn from outside. Chunks go through `channel` to `reader`, which
    writes them to the client that has asked. `log` keeps them for readers that come later. Without
    any reader the turn continues for `resume_seconds`.
    """

    def __init__(
        self,
        question: Question,
        sock: socket.socket | None = None,
        resume_seconds: float = 0,
        writer: DirectWriter | None = None,
        ticket: Ticket | None = None,
    ) -> None:
        self.question = question
        self.assembly = Assembly()
        self.tally = Tally(question.model)
        self.hold = TurnHold(question, self.tally)
        self.deadline = Deadline()
        self.interruption = Interruption()
        self.channel = Channel()
        self.reader = Reader(self.channel, sock, question.turn_id, writer)
        self.log = ChunkLog(self.assembly.open_text)
        self._watching: list[Channel] = []  # of further readers in this worker
        self._watched_until = 0.0  # by readers in other workers; monotonic
        self.was_watched = False  # by further readers, who may want its end later
        self._resume_seconds = resume_seconds
        self._unread_since = 0.0  # monotonic; counts once the client has left
        self.earlier = EarlierWrites()
        self.has_readers = True  # False if only its caller takes the chunks
        self.is_visible = False  # whether the client has received any text or call
        self._ticket = ticket  # one of its user's
        self.span = spans.NO_SPAN
        self.was_unclaimed = False  # for some time, in which another turn may have answered

    @property
    def is_claimed(self) -> bool:
        """Whether its message must have a claim; False once its end has begun."""
        return self.interruption.is_allowed and self.question.is_in_chat

    def start(self, metadata: dict[str, Any]) -> None:
        """Put the first chunk. For other readers, it contains the question, which they did not
        send."""
        question = self.question
        message = {"id": question.user_message_id, "content": question.content}
        id = question.assistant_message_id
        self._put_for_others(chunks.Start(id, {**metadata, "userMessage": message}))
        self.channel.put(chunks.Start(id, metadata))

    def put(self, chunk: Chunk) -> None:
        """Pass a chunk to the readers, and wait for a slow client.

        The last few chunks do not wait for a reader, because the rows would wait with them.
        """
        self._put_for_others(chunk)
        if self.channel.put(chunk) and self.interruption.is_allowed:
            self._wait_for_reader()

    def add_texts(self, text_id: str, texts: list[str]) -> None:
        """Add pieces to an open text, and pass them to the readers, from the event loop."""
        deltas = [TextDelta(text_id, text) for text in texts]
        for delta in deltas:
            self.assembly.apply(delta)
            self._put_for_others(delta)
        self.channel.put_text(deltas)

    def _put_for_others(self, chunk: Chunk) -> None:
        self.log.add(chunk)
        for channel in self._watching:
            channel.put(chunk)

    def close(self) -> None:
        """Close the channels: no more chunks will come."""
        for channel in (self.channel, *self._watching):
            channel.close()

    def free_ticket(self) -> None:
        """Free the user's ticket for another turn."""
        if self._ticket:
            self._ticket.free()

    @property
    def is_closed(self) -> bool:
        return self.channel.closed

    def watch(self, channel: Channel, after: int) -> None:
        """Put the chunks after the one numbered `after`, and all later ones, into a channel."""
        for chunk in self.log.after(after):
            channel.put(chunk)
        self._watching.append(channel)
        self.was_watched = True

    def unwatch(self, channel: Channel) -> None:
        if channel in self._watching:
            self._watching.remove(channel)

    def note_watchers(self, seconds: float) -> None:
        """Note that readers in other workers want the chunks of the next seconds."""
        self._watched_until = time.monotonic() + seconds

    def _wait_for_reader(self) -> None:
        """Wait for the reader. This time does not count against the model's time limit."""
        began = time.monotonic()
        self.deadline.pause()
        self.channel.wait_for_room()
        self.deadline.resume(time.monotonic() - began)

    @property
    def may_be_resumed(self) -> bool:
        """Whether its client has left and may come back."""
        return self.channel.abandoned and self._resume_seconds > 0

    def leave(self) -> None:
        """Note that the client has left; interrupt the turn if it can't come back."""
        self.channel.abandon()
        if self._resume_seconds:
            self._unread_since = time.monotonic()
        else:
            self.interruption.interrupt("gone")

    def check(self, now: float) -> None:
        """End a model call that takes too long, and check the reader."""
        if self.deadline.is_over(now):
            self.interruption.throw(ProviderError("slow"), self.deadline.end_if_over)
        if not self.channel.abandoned:
            self.reader.check(now)
        elif self.may_be_resumed:
            self._end_unread(now)

    def _end_unread(self, now: float) -> None:
        """Interrupt the turn if nobody has read it for `resume_seconds`."""
        if self._watching or now < self._watched_until:
            self._unread_since = now
        elif now - self._unread_since >= self._resume_seconds:
            self.interruption.interrupt("gone")


class Runs(BackgroundWork):
    """All running turns of this worker, and the watchman that checks them."""

    def __init__(self) -> None:
        self._runs: dict[str, Run] = {}
        self._listeners: list[Callable[[Run], None]] = []
        self._grace_ends = inf  # monotonic; set when the worker drains

    def __len__(self) -> int:
        return len(self._runs)

    def __iter__(self) -> Iterator[Run]:
        return iter(list(self._runs.values()))

    def add(self, run: Run) -> None:
        self._runs[run.question.turn_id] = run
        self.wake()

    def remove(self, run: Run) -> None:
        """Remove a run that has ended, and call the listeners."""
        self._runs.pop(run.question.turn_id, None)
        for listener in self._listeners:
            listener(run)

    def on_end(self, listener: Callable[[Run], None]) -> None:
        """Call the listener with each run that has ended."""
        self._listeners.append(listener)

    def get(self, turn_id: str) -> Run | None:
        return self._runs.get(turn_id)

    def interrupt_chat(self, chat_id: str, reason: EndReason) -> None:
        """End this worker's turns of a chat at once; other workers read it from the claims."""
        for run in self:
            if run.question.chat_id == chat_id:
                run.interruption.interrupt(reason)

    def drain(self, grace: float) -> None:
        """Interrupt the running turns in time.

        Answers that are not stored when the grace time ends are lost with the worker.
        """
        self._grace_ends = time.monotonic() + grace

    def _interrupt_in_time(self, now: float) -> None:
        """Interrupt the oldest turns, as many as could not all be stored in the remaining time."""
        late = now + DRAIN_MARGIN + len(self) * END_SECONDS - self._grace_ends
        if late >= 0:
            for run in list(self)[: int(late / END_SECONDS) + 1]:
                run.interruption.interrupt("drain")

    def _work(self) -> None:
        while self._runs:
            gevent.sleep(TICK_SECONDS)
            now = time.monotonic()
            for run in self:
                run.check(now)
            self._interrupt_in_time(now)
