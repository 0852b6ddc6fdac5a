"""The turns that run in this worker, and what may interrupt one.

An interruption is an exception thrown into the turn's greenlet where it waits: on the model, a
tool or a slow reader. Once a turn has begun to write its rows, nothing interrupts it any more.
"""

import socket
import time
from collections.abc import Iterator
from typing import Literal

import gevent
import structlog
from gevent import get_hub

from service.chat.channel import Channel
from service.chat.chunks import Chunk
from service.chat.earlier import EarlierWrites
from service.chat.parts import Assembly
from service.chat.question import Question
from service.chat.tally import Tally
from service.lifecycle import acknowledged
from service.providers.events import ProviderError

TICK_SECONDS = 0.25
READER_SECONDS = 30.0  # without any progress, then a slow reader is let go
KEEP_ALIVE_SECONDS = 10.0  # of silence
DRAIN_MARGIN = 3.0  # of the grace time, kept for the rows and the last chunks

Reason = Literal["gone", "stop", "drain", "deleted"]

log = structlog.get_logger("turn")


class Interrupted(BaseException):
    """The turn shall end now; not an Exception, so that no tool can swallow it."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason)
        self.reason = reason


class Deadline:
    """How long the model may take: to its first content, between events, for the whole step."""

    def __init__(self) -> None:
        self._at: float | None = None
        self._paused: float | None = None
        self._step_ends = 0.0

    def begin(self, first: float, step: float) -> None:
        now = time.monotonic()
        self._step_ends = now + step
        self._at = now + first

    def progress(self, idle: float) -> None:
        self._at = min(time.monotonic() + idle, self._step_ends)

    def end(self) -> None:
        self._at = None

    def pause(self) -> None:
        """The model is not waited for: the reader is."""
        self._paused, self._at = self._at, None

    def resume(self, paused: float) -> None:
        """Go on, `paused` seconds later."""
        self._step_ends += paused
        self._at = self._paused + paused if self._paused is not None else None

    def passed(self, now: float) -> bool:
        return self._at is not None and now > self._at


class Run:
    """One running turn: what it has come to, and the handle by which it is ended."""

    def __init__(self, question: Question, sock: socket.socket | None = None) -> None:
        self.question = question
        self.assembly = Assembly()
        self.tally = Tally(question.model)
        self.channel = Channel()
        self.deadline = Deadline()
        self.earlier = EarlierWrites()
        self.hold_id, self.held, self.holds = question.hold_id, question.held, 1
        self.settled = self.charged = 0  # with lost holds: cost settled, and charged
        self.reason: Reason | None = None
        self.was_unclaimed = False  # once: another turn may have answered then
        self.writing = False
        self._rested = time.monotonic()
        self._sock = sock
        self._acknowledged = (0, time.monotonic())
        self._greenlet: gevent.Greenlet | None = None
        self._interruptible = False

    def begin(self) -> None:
        """Called by the turn's own greenlet, before anything else."""
        self._greenlet = gevent.getcurrent()
        self._interruptible = True
        self.check()

    def check(self) -> None:
        if self.reason:
            raise Interrupted(self.reason)

    @property
    def is_claimed(self) -> bool:
        """Whether its message must have a claim; False once its end has begun."""
        return self._interruptible and bool(self.question.chat_id)

    def settle_down(self) -> None:
        """From here on nothing interrupts: the rows are written, or the end is being told."""
        self._interruptible = False

    def interrupt(self, reason: Reason) -> None:
        """End the turn for the first reason given; later ones change nothing."""
        if self.reason is None:
            self.reason = reason
            self._throw(Interrupted(reason))

    def expire(self) -> None:
        """The model took too long."""
        self.deadline.end()
        self._throw(ProviderError("slow"))

    def put(self, chunk: Chunk) -> None:
        """Hand a chunk over; a slow reader does not count against the model's time.

        The last few chunks wait for no reader: the rows would wait with them.
        """
        self.channel.put(chunk)
        if not self.channel.full or not self._interruptible:
            return
        began = time.monotonic()
        self.deadline.pause()
        self.channel.wait_for_room()
        self.deadline.resume(time.monotonic() - began)

    def leave(self) -> None:
        """The client is not there any more."""
        self.channel.abandon()
        self.interrupt("gone")

    def rest(self) -> None:
        """The response has written all there was, and waits."""
        self.writing = False
        self._rested = time.monotonic()

    def keep_alive(self, now: float) -> None:
        """Have the response say something if it has been silent for long."""
        if not self.writing and now - self._rested >= KEEP_ALIVE_SECONDS:
            self.channel.nudge()

    def _throw(self, error: BaseException) -> None:
        # In the event loop's own turn the greenlet stands still: its state can't change under us.
        get_hub().loop.run_callback(self._deliver, error)

    def _deliver(self, error: BaseException) -> None:
        if self._interruptible and self._greenlet and not self._greenlet.dead:
            # A deadline may end less than the turn: a summary, or an answer that was whole.
            self._interruptible = not isinstance(error, Interrupted)
            self._greenlet.throw(error)

    def release_slow_reader(self, now: float) -> None:
        """Cut the connection of a client that has taken nothing for `READER_SECONDS`."""
        if not self.writing or self._sock is None:
            self._acknowledged = (-1, now)
            return
        acked = acknowledged(self._sock)
        if acked is not None and acked != self._acknowledged[0]:
            self._acknowledged = (acked, now)
        elif now - self._acknowledged[1] > READER_SECONDS:
            log.info("slow reader let go", turn_id=self.question.turn_id)
            self._cut(self._sock)

    def _cut(self, sock: socket.socket) -> None:
        try:
            sock.shutdown(socket.SHUT_RDWR)
        except OSError:
            return  # it has gone by itself


class Runs:
    """All running turns of this worker. Its watchman runs only while there are any."""

    def __init__(self) -> None:
        self._runs: dict[str, Run] = {}
        self._watchman: gevent.Greenlet | None = None

    def __len__(self) -> int:
        return len(self._runs)

    def __iter__(self) -> Iterator[Run]:
        return iter(list(self._runs.values()))

    def add(self, run: Run) -> None:
        self._runs[run.question.turn_id] = run
        if not self._watchman:
            self._watchman = gevent.spawn(self._watch)

    def remove(self, run: Run) -> None:
        self._runs.pop(run.question.turn_id, None)

    def get(self, turn_id: str) -> Run | None:
        return self._runs.get(turn_id)

    def interrupt_chat(self, chat_id: str, reason: Reason) -> None:
        """End this worker's turns of a chat at once; other workers look into the claims."""
        for run in self:
            if run.question.chat_id == chat_id:
                run.interrupt(reason)

    def drain(self, grace: float) -> None:
        """Give running turns the grace time, less what their ends need."""
        gevent.spawn_later(max(0.0, grace - DRAIN_MARGIN), self._interrupt_all)

    def _interrupt_all(self) -> None:
        for run in self:
            run.interrupt("drain")

    def _watch(self) -> None:
        while self._runs:
            gevent.sleep(TICK_SECONDS)
            now = time.monotonic()
            for run in self:
                if run.deadline.passed(now):
                    run.expire()
                run.keep_alive(now)
                run.release_slow_reader(now)
        self._watchman = None
