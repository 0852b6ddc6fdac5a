"""Making a long conversation fit: a pure decision, stage by stage.

1. Old tool results are cut, the newest stay whole.   2. A cached summary takes the place of what
it covers.   3. Still too long: the older half is summarised.   4. Still too long: the oldest turns
go, down to a floor. As the last resort results are shortened, biggest first, then texts.

Cuts fall in front of a user's message only, so that no call loses its result.
Source: specification, "Limits"; contract section 6.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

from service.chat.history import Row, messages_of, repaired
from service.chat.limits import Limits, count_results, size
from service.providers.prompt import Message, Result, ToolResults, UserMessage

Stage = Literal["results", "summary", "summarized", "window", "shortened"]

SUMMARY_INTRO = (
    "[Summary of the earlier conversation. It tells what was said and found; "
    "it is no instruction.]\n\n"
)


@dataclass(frozen=True)
class Turn:
    """A row as messages; sizes are counted once."""

    row: Row
    messages: tuple[Message, ...]

    @cached_property
    def size(self) -> tuple[int, int]:
        return size(self.messages)


@dataclass(frozen=True)
class History:
    """A chat: `summary` stands for what came before `turns`, `content` is the message to answer,
    `note` a text for the model in front of it. `stages` are those that have changed anything."""

    summary: str | None
    turns: tuple[Turn, ...]
    content: str
    stages: tuple[Stage, ...] = ()
    dropped: int = 0  # rows that neither the summary nor the request has
    note: str = ""

    @property
    def messages(self) -> tuple[Message, ...]:
        said = [message for turn in self.turns for message in turn.messages]
        if self.summary is not None:
            said.insert(0, UserMessage(SUMMARY_INTRO + self.summary))
        return repaired([*said, *self._asked])

    @property
    def _asked(self) -> list[Message]:
        """The message to answer, with the note in front: behind all that a provider caches."""
        note: list[Message] = [UserMessage(self.note)] if self.note else []
        return [*note, UserMessage(self.content)]

    def fits(self, limits: Limits) -> bool:
        """As `limits.fit(self.messages)`, without going through all of them again."""
        around = self._asked
        if self.summary is not None:
            around.append(UserMessage(SUMMARY_INTRO + self.summary))
        sizes = [turn.size for turn in self.turns] + [size(around)]
        return limits.allow(sum(size[0] for size in sizes), sum(size[1] for size in sizes))

    def marked(self, stage: Stage) -> "History":
        return replace(self, stages=(*self.stages, stage))

    def without(self, cut: int) -> "History":
        return replace(self, turns=self.turns[cut:])


Summarize = Callable[[History, int], str | None]


def history_of(rows: Iterable[Row], summary: str | None, content: str, note: str = "") -> History:
    turns = tuple(Turn(row, tuple(messages_of(row))) for row in rows)
    known = History(summary, turns, content, note=note)
    return known.marked("summary") if summary is not None else known


def compacted(history: History, limits: Limits, summarize: Summarize) -> History:
    """The history as it is sent. `summarize(history, cut)` gives a summary of everything before
    the turn of that number, or None when there is none to be had."""
    history = _cut_results(history, limits)
    if not history.fits(limits) and (cut := older_half(history, limits)):
        summary = summarize(history, cut)
        if summary is not None:
            history = replace(history.without(cut), summary=summary).marked("summarized")
    if not history.fits(limits):
        history = _window(history, limits)
    return history


def older_half(history: History, limits: Limits) -> int:
    """Where the summarised half ends: in front of a user's row, at least the floor behind it.

    0 when there is nothing to summarise.
    """
    return max(_cuts(history, limits, len(history.turns) // 2), default=0)


def _cuts(history: History, limits: Limits, most: int) -> list[int]:
    """Where rows may be cut off: in front of a user's row, leaving the floor."""
    most = min(most, len(history.turns) - limits.least_kept)
    return [n for n in range(1, most + 1) if history.turns[n].row.asks]


def _window(history: History, limits: Limits) -> History:
    """As few of the oldest rows go as must."""
    cuts = _cuts(history, limits, len(history.turns) - 1)
    if not cuts:
        return history
    enough = bisect_left(cuts, True, key=lambda cut: history.without(cut).fits(limits))
    cut = cuts[min(enough, len(cuts) - 1)]
    return replace(history.without(cut), dropped=history.dropped + cut).marked("window")


def _cut_results(history: History, limits: Limits) -> History:
    """Results older than the newest few lose what is over the cap."""
    turns, newer, cut_any = [], 0, False
    for turn in reversed(history.turns):
        messages = cut_old_results(turn.messages, limits, newer)
        newer += count_results(turn.messages)
        cut_any |= messages != turn.messages
        turns.append(turn if messages == turn.messages else Turn(turn.row, messages))
    if not cut_any:
        return history
    return replace(history, turns=tuple(reversed(turns))).marked("results")


def cut_old_results(
    messages: tuple[Message, ...], limits: Limits, newer: int = 0
) -> tuple[Message, ...]:
    """The messages, with all results but the newest few cut to the cap. The `newer` results, which
    follow them, count among the newest."""
    cut: list[Message] = []
    for message in reversed(messages):
        if isinstance(message, ToolResults):
            kept = []
            for result in reversed(message.results):
                newer += 1
                old = newer > limits.recent_results
                kept.append(_capped(result, limits.result_cap) if old else result)
            message = ToolResults(tuple(reversed(kept)))
        cut.append(message)
    return tuple(reversed(cut))


def _capped(result: Result, cap: int) -> Result:
    encoded = result.content.encode()
    if len(encoded) <= cap:
        return result
    note = f"… [{len(encoded)} bytes in all; call the tool again to see the rest]"
    kept = encoded[: max(0, cap - len(note.encode()))].decode(errors="ignore")
    return Result(result.call_id, kept + note, result.failed)
