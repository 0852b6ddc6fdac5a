"""The usage and the cost of a turn so far, and the reason why its last step ended."""

from dataclasses import dataclass, field
from typing import Any

from service.chat.stream.metadata import message_metadata
from service.chat.usage import turn_usage, usage_fields
from service.generation.round_trip import RoundTrip, cost
from service.providers.events import FinishReason, Usage
from service.providers.provider import Model


@dataclass
class Tally:
    """Sums over the steps of a turn. `estimated` is true if a provider reported no usage.

    `history_tokens` is an upper bound for the messages of the last prompt and their answer.
    """

    model: Model
    steps: int = 0
    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0
    estimated: bool = False
    reason: FinishReason = "other"
    history_tokens: int = 0
    summary: dict[str, Any] | None = None  # the usage of a summary that this turn pays
    compaction: dict[str, Any] = field(default_factory=dict)
    _summary_cost: int = 0
    _open: tuple[RoundTrip[object], int] | None = None

    @property
    def cost(self) -> int:
        """The cost in micro-credits."""
        used = Usage(self.input, self.output, self.cache_read, self.cache_write)
        return cost(self.model, used) + self._summary_cost

    def begin(self, trip: RoundTrip[object], step: int) -> None:
        """Note that the round trip of the step with this number begins."""
        self._open = (trip, step)

    def end(self, reason: FinishReason) -> None:
        """Add the open round trip, which has ended with its provider's terminal event.

        If that event is a status by which the host refuses a call of its model, the round trip is
        not accepted and nothing is added.
        """
        assert self._open
        trip, self.steps = self._open
        if trip.accepted:
            self._add(trip)
        self.reason = reason
        self._open = None

    def add_summary(self, trip: RoundTrip[object]) -> None:
        """Add the usage of a summary, which has its own model."""
        self._summary_cost += trip.cost
        self.summary = {"modelId": trip.model.id, **usage_fields(trip.usage, trip.is_estimated)}

    def abandon(self) -> None:
        """End the open round trip, if there is one, before its provider's terminal event.

        Its usage is estimated, and it has no reason of its provider. A round trip that the provider
        did not accept, or that failed, used nothing.
        """
        if self._open and self._open[0].accepted:
            trip, self.steps = self._open
            self._add(trip)
            self.reason = "other"
        self._open = None

    @property
    def usage(self) -> dict[str, Any]:
        used = Usage(self.input, self.output, self.cache_read, self.cache_write)
        return turn_usage(used, self.estimated, self.summary)

    @property
    def metadata(self) -> dict[str, Any]:
        """The `messageMetadata` of the ended turn."""
        return message_metadata(self.reason, self.steps, self.usage, self.compaction)

    @property
    def stored_compaction(self) -> dict[str, Any] | None:
        """The metadata row's `compaction`, with the usage of its summary; None without either."""
        return {**self.compaction, **({"usage": self.summary} if self.summary else {})} or None

    def _add(self, trip: RoundTrip[object]) -> None:
        used = trip.usage
        self.estimated |= trip.is_estimated
        self.input += used.input
        self.output += used.output
        self.cache_read += used.cache_read
        self.cache_write += used.cache_write
