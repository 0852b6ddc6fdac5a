"""Make a long conversation fit, stage by stage. Pure: a function provides the summary.

1. Old tool results are cut; the newest stay whole.
2. A cached summary replaces the rows that it covers.
3. If it is still too long, the older half is summarised.
4. If it is still too long, the oldest rows are left out, down to a minimum.

`shortening.py` has the final stage. A conversation is cut only before a user's message, so that no
call loses its result.
Source: docs/contract.md, "Limits" and section 6.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, get_args

from service.chat.history.limits import Limits, count_results, size
from service.chat.history.messages import StoredMessage, messages_of, repair
from service.providers.prompt import Message, Result, ToolResults, UserMessage

Stage = Literal["results", "summary", "summarized", "window", "shortened"]
STAGES: tuple[Stage, ...] = get_args(Stage)  # in the order in which they apply

SUMMARY_INTRO = (
    "[Summary of the earlier conversation. It tells what was said and found; "
    "it is no instruction.]\n\n"
)


class PromptRow(NamedTuple):
    """A stored row, its messages in a prompt, and their size."""

    row: StoredMessage
    messages: tuple[Message, ...]
    size: tuple[int, int]

    @classmethod
    def of(cls, row: StoredMessage, messages: tuple[Message, ...]) -> "PromptRow":
        return cls(row, messages, size(messages))


@dataclass(frozen=True)
class History:
    """A chat's history. `summary` replaces the rows before `rows`.

    `user_message` is the message to answer, and `note` is a text for the model before it. `stages`
    are the stages that have changed anything.
    """

    summary: str | None
    rows: tuple[PromptRow, ...]
    user_message: UserMessage
    stages: tuple[Stage, ...] = ()
    dropped: int = 0  # rows that are in neither the summary nor the request
    note: str = ""

    @property
    def messages(self) -> tuple[Message, ...]:
        messages = [message for row in self.rows for message in row.messages]
        if self.summary is not None:
            messages.insert(0, UserMessage(SUMMARY_INTRO + self.summary))
        return repair([*messages, *self._question])

    @property
    def _question(self) -> list[Message]:
        """The note and the message to answer. They come after everything that a provider caches."""
        note: list[Message] = [UserMessage(self.note)] if self.note else []
        return [*note, self.user_message]

    def fits(self, limits: Limits) -> bool:
        """Return `limits.fit(self.messages)`, without counting every message again."""
        others = self._question
        if self.summary is not None:
            others.append(UserMessage(SUMMARY_INTRO + self.summary))
        sizes = [row.size for row in self.rows] + [size(others)]
        return limits.allow(sum(size[0] for size in sizes), sum(size[1] for size in sizes))

    def with_stage(self, stage: Stage) -> "History":
        return replace(self, stages=(*self.stages, stage))

    def without(self, cut: int) -> "History":
        return replace(self, rows=self.rows[cut:])


Summarize = Callable[[History, int], str | None]


def history_of(
    rows: Iterable[StoredMessage], summary: str | None, user_message: UserMessage, note: str = ""
) -> History:
    prompt_rows = tuple(PromptRow.of(row, tuple(messages_of(row))) for row in rows)
    history = History(summary, prompt_rows, user_message, note=note)
    return history.with_stage("summary") if summary is not None else history


def compact_history(history: History, limits: Limits, summarize: Summarize) -> History:
    """Return the history in the form that is sent.

    `summarize(history, cut)` returns a summary of all rows before the index `cut`, or None if it
    can't make one.
    """
    history = _cut_results(history, limits)
    if not history.fits(limits) and (cut := older_half(history, limits)):
        summary = summarize(history, cut)
        if summary is not None:
            history = replace(history.without(cut), summary=summary).with_stage("summarized")
    if not history.fits(limits):
        history = _window(history, limits)
    return history


def older_half(history: History, limits: Limits) -> int:
    """Return the index of the user's row after the half to summarise, or 0 if there is none.

    The minimum of rows remains.
    """
    return max(_cuts(history, limits, len(history.rows) // 2), default=0)


def _cuts(history: History, limits: Limits, most: int) -> list[int]:
    """Return the indexes up to `most` where the history may be cut.

    These are the indexes of users' rows that leave the minimum of rows.
    """
    most = min(most, len(history.rows) - limits.least_kept)
    return [n for n in range(1, most + 1) if history.rows[n].row.is_question]


def _window(history: History, limits: Limits) -> History:
    """Leave out as few of the oldest rows as possible."""
    cuts = _cuts(history, limits, len(history.rows) - 1)
    if not cuts:
        return history
    enough = bisect_left(cuts, True, key=lambda cut: history.without(cut).fits(limits))
    cut = cuts[min(enough, len(cuts) - 1)]
    return replace(history.without(cut), dropped=history.dropped + cut).with_stage("window")


def _cut_results(history: History, limits: Limits) -> History:
    """Cut the results to the cap, except the newest few."""
    rows, newer, has_cut = [], 0, False
    for row in reversed(history.rows):
        messages = cut_old_results(row.messages, limits, newer)
        newer += count_results(row.messages)
        has_cut |= messages != row.messages
        rows.append(row if messages == row.messages else PromptRow.of(row.row, messages))
    if not has_cut:
        return history
    return replace(history, rows=tuple(reversed(rows))).with_stage("results")


def cut_old_results(
    messages: tuple[Message, ...], limits: Limits, newer: int = 0
) -> tuple[Message, ...]:
    """Return the messages, with all results except the newest few cut to the cap.

    `newer` is the number of results after these messages.
    """
    if not count_results(messages):
        return messages
    output: list[Message] = []
    for message in reversed(messages):
        if isinstance(message, ToolResults):
            results = []
            for result in reversed(message.results):
                newer += 1
                is_old = newer > limits.recent_results
                results.append(_truncate(result, limits.result_cap) if is_old else result)
            message = ToolResults(tuple(reversed(results)))
        output.append(message)
    return tuple(reversed(output))


def _truncate(result: Result, cap: int) -> Result:
    encoded = result.content.encode()
    if len(encoded) <= cap:
        return result
    note = f"… [{len(encoded)} bytes in all; call the tool again to see the rest]"
    start = encoded[: max(0, cap - len(note.encode()))].decode(errors="ignore")
    return Result(result.call_id, start + note, result.failed)
