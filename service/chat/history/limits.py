"""The limits of a request's conversation, and the measurement of its size."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from service.providers.prompt import AssistantMessage, Message, ToolResults, UserMessage, to_json


@dataclass(frozen=True)
class Limits:
    """`budget` is in characters of history, `ceiling` in estimated tokens of the whole request.

    `overhead` is the tokens of the request that are not history: the system text and the schemas.
    """

    budget: int
    ceiling: int
    overhead: int = 0
    result_cap: int = 30_000  # bytes
    recent_results: int = 5
    least_kept: int = 10  # rows

    def fit(self, messages: Sequence[Message]) -> bool:
        return self.allow(*size(messages))

    def allow(self, characters: int, tokens: int) -> bool:
        return characters <= self.budget and tokens + self.overhead <= self.ceiling

    def minus(self, messages: Sequence[Message]) -> "Limits":
        """Return the limits that remain for older messages when these newer ones are sent."""
        characters, tokens = size(messages)
        return replace(
            self,
            budget=self.budget - characters,
            overhead=self.overhead + tokens,
            recent_results=max(0, self.recent_results - count_results(messages)),
        )

    def halve(self, messages: Sequence[Message]) -> "Limits":
        """Return limits of half the size of these messages, for a provider that accepts less."""
        characters, tokens = size(messages)
        ceiling = max((tokens + self.overhead) // 2, self.overhead // 2)
        return replace(self, budget=characters // 2, ceiling=ceiling)


def size(messages: Iterable[Message]) -> tuple[int, int]:
    """Return the characters and the estimated tokens of texts, call arguments and results."""
    characters = tokens = 0
    for message in messages:
        characters += sum(map(len, _texts(message)))
        tokens += message.tokens
    return characters, tokens


def count_results(messages: Iterable[Message]) -> int:
    return sum(len(message.results) for message in messages if isinstance(message, ToolResults))


def _texts(message: Message) -> Iterable[str]:
    match message:
        case UserMessage(text, aside):
            return text, aside
        case AssistantMessage(text, calls):
            return text, *(to_json(call.input) for call in calls)
        case ToolResults(results):
            return [result.content for result in results]
