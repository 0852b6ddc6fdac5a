"""Compute how long a stall has lasted, and for which part of it its greenlet is responsible."""

from dataclasses import dataclass, field
from types import FrameType
from typing import Any, NamedTuple


class Sample(NamedTuple):
    """A sample of the watched thread: the clock and its CPU time, in seconds."""

    at: float
    cpu: float


@dataclass
class Stall:
    """The run of one greenlet in one iteration of the loop.

    `before` is the last sample before the run; `first` and `last` are samples of it. `queued` is
    how long the thread was ready but not on a CPU between `first` and `last`.
    """

    before: Sample
    began: float
    iteration: int
    root: FrameType
    first: Sample
    last: Sample
    first_queued: float
    queued: float = 0.0
    stopped: float = 0.0
    place: list[str] = field(default_factory=list)
    facts: dict[str, Any] = field(default_factory=dict)
    warned: int = 0

    @property
    def wall(self) -> float:
        return self.last.at - self.began

    @property
    def cpu(self) -> float:
        """Seconds of CPU time.

        If the first sample was late, other greenlets may have run before it. The time before it
        counts only if most of the time after it, without the queued time, was spent computing.
        """
        sampled = self.last.at - self.first.at - self.queued
        cpu = self.last.cpu - self.first.cpu
        if cpu > max(sampled, 0.0) / 2:
            cpu += min(self.first.cpu - self.before.cpu, self.first.at - self.began)
        return min(cpu, self.wall)

    @property
    def blocked_seconds(self) -> float:
        """Seconds of a wait that did not go through the event loop.

        The time before the first sample counts only if most of the time after it was such a wait.
        """
        sampled = self.last.at - self.first.at
        blocked = sampled - (self.last.cpu - self.first.cpu) - self.queued - self.stopped
        if sampled and blocked > sampled / 2:
            head = self.first.at - self.began
            blocked += head - min(self.first.cpu - self.before.cpu, head)
        return max(blocked, 0.0)

    @property
    def seconds(self) -> float:
        """The seconds for which the greenlet is responsible."""
        return self.cpu + self.blocked_seconds

    @property
    def kind(self) -> str:
        return "computing" if self.cpu >= self.blocked_seconds else "blocked"
