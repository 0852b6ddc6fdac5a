"""What a turn has used so far, what that costs, and how its last step ended."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from service.billing import prices
from service.chat.step import Step
from service.providers.events import FinishReason, PromptCounted, Usage
from service.providers.prompt import AssistantMessage, Prompt, ToolResults, UserMessage
from service.providers.provider import Model
from service.providers.tokens import bound, likely


@dataclass
class Receipt:
    """What a provider says of one round trip. Nothing is owed for it before it is accepted, nor
    after the provider itself has failed."""

    accepted: bool = False
    counted: PromptCounted | None = None  # once the provider has said so
    usage: Usage | None = None  # told at the end

    def used(self, prompt: Prompt, said: str) -> Usage:
        """As told, otherwise an estimate."""
        if self.usage:
            return self.usage
        told = self.counted or PromptCounted(likely(size(prompt)))
        return Usage(told.tokens, likely(bound(said)), told.cache_read, told.cache_write)


@dataclass
class Tally:
    """Sums over the steps of a turn. `estimated` is true once a provider did not say."""

    model: Model
    steps: int = 0
    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0
    estimated: bool = False
    reason: FinishReason = "other"
    summary: dict[str, Any] | None = None  # the usage of a summary that this turn has paid
    compaction: dict[str, Any] = field(default_factory=dict)
    _summary_cost: int = 0
    _open: tuple[Prompt, Step, Receipt] | None = None

    @property
    def cost(self) -> int:
        """Micro-credits."""
        used = (self.input, self.output, self.cache_read, self.cache_write)
        return prices.cost(self.model.id, *used) + self._summary_cost

    def begin(self, prompt: Prompt, step: Step) -> Receipt:
        """A round trip, whose receipt is to be filled in."""
        receipt = Receipt()
        self._open = (prompt, step, receipt)
        return receipt

    def end(self) -> None:
        """The open round trip is whole."""
        assert self._open
        _, step, _ = self._open
        assert step.finished
        self._add(*self._open)
        self.reason = step.finished.reason
        self._open = None

    def add_summary(self, model_id: str, prompt: Prompt, said: str, receipt: Receipt) -> None:
        """A summary was asked for."""
        used = receipt.used(prompt, said)
        counts = (used.input, used.output, used.cache_read, used.cache_write)
        self._summary_cost += prices.cost(model_id, *counts)
        self.summary = {
            "modelId": model_id,
            **shown(*counts),
            **({} if receipt.usage else {"estimated": True}),
        }

    def cut(self) -> None:
        """The turn has ended; a round trip that is still open was cut by us, if not by its
        provider, and what it has used can only be estimated."""
        if self._open and self._open[2].accepted:
            self._add(*self._open)
        self._open = None

    @property
    def usage(self) -> dict[str, Any]:
        usage: dict[str, Any] = shown(self.input, self.output, self.cache_read, self.cache_write)
        if self.summary:
            usage["summary"] = self.summary
        return {**usage, "estimated": True} if self.estimated else usage

    @property
    def metadata(self) -> dict[str, Any]:
        """What travels in `messageMetadata` at the end."""
        facts = {"finishReason": self.reason, "steps": self.steps, "usage": self.usage}
        return {**facts, "compaction": self.compaction} if self.compaction else facts

    @property
    def compacted(self) -> dict[str, Any] | None:
        """What the metadata row keeps of the compaction, with what its summary has used."""
        return {**self.compaction, **({"usage": self.summary} if self.summary else {})} or None

    def _add(self, prompt: Prompt, step: Step, receipt: Receipt) -> None:
        used = receipt.used(prompt, "".join(step.text))
        self.estimated |= receipt.usage is None
        self.steps = step.number
        self.input += used.input
        self.output += used.output
        self.cache_read += used.cache_read
        self.cache_write += used.cache_write


def shown(
    input_tokens: int, output_tokens: int, cache_read: int | None, cache_write: int | None
) -> dict[str, int]:
    """Usage as clients see it. The names are the AI SDK's: `cachedInputTokens` is of its version 5,
    `cacheWriteTokens` of version 6. Both are part of `inputTokens`, and absent when there are none.
    """
    cache = {"cachedInputTokens": cache_read, "cacheWriteTokens": cache_write}
    told = {name: tokens for name, tokens in cache.items() if tokens}
    return {"inputTokens": input_tokens, "outputTokens": output_tokens, **told}


def size(prompt: Prompt) -> int:
    """The most tokens that a prompt should have, without what the provider adds."""
    return sum(map(bound, _texts(prompt))) + sum(tool.tokens for tool in prompt.tools)


def _texts(prompt: Prompt) -> Iterator[str]:
    yield prompt.system
    for message in prompt.messages:
        match message:
            case UserMessage(text):
                yield text
            case AssistantMessage(text, calls):
                yield text
                yield from (_json(dict(call.input)) + call.name for call in calls)
            case ToolResults(results):
                yield from (result.content for result in results)


def _json(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
