"""Whatever a chat holds, its prompt is valid on every wire, fits, and is cut only where allowed."""

import random
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.chat.history.compaction import SUMMARY_INTRO, History, compact_history, history_of
from service.chat.history.limits import Limits
from service.chat.history.messages import NO_TEXT, StoredMessage
from service.chat.history.shortening import shorten_messages
from service.providers.prompt import Message, UserMessage
from tests.chat import odd_histories
from tests.chat.wire_rules import complaints
from tests.providers.prompts import model, prompt
from tests.providers.stream_reading import repeatable

MODELS = {kind: model(kind) for kind in "ABC"}


@dataclass(frozen=True)
class Case:
    """A chat, the message to answer, and limits scaled down to its size."""

    rows: list[StoredMessage]
    cached: str | None
    content: str
    limits: Limits
    summarize: Callable[[History, int], str | None]

    @classmethod
    def of(cls, seed: int) -> "Case":
        dice = random.Random(seed)
        limits = Limits(
            budget=dice.choice((2_500, 3_500, 6_000)),
            ceiling=dice.choice((1_200, 2_000, 4_000)),
            overhead=300,
            result_cap=200,
            recent_results=dice.choice((0, 2, 5)),
            least_kept=dice.choice((2, 2, 4, 10)),
        )
        new = dice.choice((None, "The user likes blue. 漢字 " * 5, "x"))
        cached = "It began with a harbour." if dice.random() < 0.3 else None
        rows, content = odd_histories.history(dice), odd_histories.text(dice)
        return cls(rows, cached, content, limits, lambda history, cut: new)

    def compact(self) -> History:
        known = history_of(self.rows, self.cached, UserMessage(self.content))
        return compact_history(known, self.limits, self.summarize)

    def again(self, history: History) -> History:
        return compact_history(history, self.limits, self.summarize)


def refusals(messages: tuple[Message, ...]) -> list[str]:
    asked = prompt(*messages)
    bodies = {
        kind: model.provider.wire.request(model.provider, model.upstream_name, asked).body
        for kind, model in MODELS.items()
    }
    return [complaint for kind, body in bodies.items() for complaint in complaints(kind, body)]


@pytest.mark.timeout(900)
@repeatable(1_500)
@given(st.integers(0, 2**48))
def test_what_is_sent_is_valid_on_every_wire_and_fits(seed):
    case = Case.of(seed)
    history = case.compact()
    sent = shorten_messages(history.messages, case.limits)
    assert refusals(sent) == []
    assert case.limits.fit(sent)
    assert isinstance(sent[-1], UserMessage)
    assert sent[-1].text == (case.content if case.content.strip() else NO_TEXT)
    assert cuts_are_allowed(case, history)
    assert case.again(history).messages == history.messages
    assert shorten_messages(sent, case.limits) == sent


def cuts_are_allowed(case: Case, history: History) -> bool:
    """In front of a user's row, the floor kept, and the summary told first."""
    kept = [row.row for row in history.rows]
    told = history.summary is None or history.messages[0].text == SUMMARY_INTRO + history.summary
    whole = kept == case.rows
    floor = len(kept) >= min(len(case.rows), case.limits.least_kept)
    return told and floor and (whole or (kept[0].is_question and kept == case.rows[-len(kept) :]))


def test_the_same_chat_is_sent_in_the_same_bytes():
    """A provider's cache of prompts lives on that."""
    for seed in range(300):
        first, second = Case.of(seed), Case.of(seed)
        sent = shorten_messages(first.compact().messages, first.limits)
        assert shorten_messages(second.compact().messages, second.limits) == sent


def test_the_histories_reach_every_stage():
    seen = [stage for seed in range(300) for stage in Case.of(seed).compact().stages]
    assert {stage: seen.count(stage) > 15 for stage in set(seen)} == dict.fromkeys(
        ("results", "summary", "summarized", "window"), True
    )
