"""How much of a conversation a model is shown, and how that is measured."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from service.billing.prices import BYTES_PER_TOKEN
from service.providers.prompt import AssistantMessage, Message, ToolResults, UserMessage


@dataclass(frozen=True)
class Limits:
    """`budget` is characters of history, `ceiling` estimated tokens of the whole request, of which
    `overhead` bytes of system text and schemas are not history."""

    budget: int
    ceiling: int
    overhead: int = 0
    result_cap: int = 30_000  # bytes
    recent_results: int = 5
    least_kept: int = 10  # rows

    def fit(self, messages: Sequence[Message]) -> bool:
        return self.allow(*size(messages))

    def allow(self, characters: int, bytes_: int) -> bool:
        tokens = (bytes_ + self.overhead) // BYTES_PER_TOKEN
        return characters <= self.budget and tokens <= self.ceiling

    def beside(self, messages: Sequence[Message]) -> "Limits":
        """What these messages, which are newer, leave of it."""
        characters, bytes_ = size(messages)
        return replace(
            self,
            budget=self.budget - characters,
            overhead=self.overhead + bytes_,
            recent_results=max(0, self.recent_results - count_results(messages)),
        )

    def halved(self, messages: Sequence[Message]) -> "Limits":
        """Half of what these messages take: for a provider that takes less than we thought."""
        characters, bytes_ = size(messages)
        tokens = (bytes_ + self.overhead) // BYTES_PER_TOKEN
        return replace(self, budget=characters // 2, ceiling=max(tokens // 2, self.overhead // 2))


def size(messages: Iterable[Message]) -> tuple[int, int]:
    """Characters and UTF-8 bytes of texts, call arguments and results."""
    characters = bytes_ = 0
    for text in _texts(messages):
        characters += len(text)
        bytes_ += len(text) if text.isascii() else len(text.encode())
    return characters, bytes_


def count_results(messages: Iterable[Message]) -> int:
    return sum(len(message.results) for message in messages if isinstance(message, ToolResults))


def _texts(messages: Iterable[Message]) -> Iterable[str]:
    for message in messages:
        match message:
            case UserMessage(text):
                yield text
            case AssistantMessage(text, calls):
                yield text
                for call in calls:
                    yield json.dumps(call.input, ensure_ascii=False, separators=(",", ":"))
            case ToolResults(results):
                for result in results:
                    yield result.content
