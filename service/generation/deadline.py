"""The time limits of a round trip to a model."""

import math
import time


class Deadline:
    """When the model is too late with its first content, its next event, or its whole answer.

    A watchman calls `is_over`, and `end_if_over` when it ends the round trip. Values are seconds on
    the monotonic clock.
    """

    __slots__ = ("_at", "_paused", "_step_ends", "_within")

    def __init__(self, within: float = math.inf) -> None:
        """`within` is the number of seconds that the caller has in all."""
        self._within = within
        self._at: float | None = None
        self._paused: float | None = None
        self._step_ends = 0.0

    def begin(self, first: float, step: float) -> None:
        now = time.monotonic()
        self._step_ends = now + min(step, self._within)
        self._at = min(now + first, self._step_ends)

    def progress(self, idle: float) -> None:
        self._at = min(time.monotonic() + idle, self._step_ends)

    def end(self) -> None:
        self._at = None

    def pause(self) -> None:
        """Stop the deadline: nobody waits for the model, because the turn waits for its reader."""
        self._paused, self._at = self._at, None

    def resume(self, paused: float) -> None:
        """Continue after a pause of so many seconds."""
        self._step_ends += paused
        self._at = self._paused + paused if self._paused is not None else None

    @property
    def seconds_left(self) -> float:
        """The seconds until the model is too late."""
        return math.inf if self._at is None else self._at - time.monotonic()

    def is_over(self, now: float) -> bool:
        return self._at is not None and now > self._at

    def end_if_over(self) -> bool:
        """End the limits if the model is too late. Return whether it is."""
        is_over = self.is_over(time.monotonic())
        if is_over:
            self.end()
        return is_over
