"""What a turn has used so far, what that costs, and how its last step ended."""

import json
from dataclasses import dataclass, field
from typing import Any

from service.billing import prices
from service.chat.step import Step
from service.providers.events import FinishReason, Usage
from service.providers.prompt import AssistantMessage, Prompt, ToolResults, UserMessage
from service.providers.provider import Model

BYTES_PER_TOKEN = 4  # a rough mean of English text; only where the provider is silent


@dataclass
class Tally:
    """Sums over the steps of a turn. `estimated` is true once a provider did not say."""

    model: Model
    steps: int = 0
    input: int = 0
    output: int = 0
    estimated: bool = False
    reason: FinishReason = "other"
    summary: dict[str, Any] | None = None  # the usage of a summary that this turn has paid
    compaction: dict[str, Any] = field(default_factory=dict)
    _summary_cost: int = 0
    _open: tuple[Prompt, Step] | None = None

    @property
    def cost(self) -> int:
        """Micro-credits."""
        return prices.cost(self.model.id, self.input, self.output) + self._summary_cost

    def begin(self, prompt: Prompt, step: Step) -> None:
        self._open = (prompt, step)

    def end(self) -> None:
        """The open round trip is whole."""
        assert self._open
        prompt, step = self._open
        assert step.finished
        self._add(step.finished.usage, prompt, step)
        self.reason = step.finished.reason
        self._open = None

    def add_summary(self, model_id: str, prompt: Prompt, said: str, usage: Usage | None) -> None:
        """A summary was asked for; without a usage, what that has cost can only be estimated."""
        used = usage or _estimate(prompt, said)
        self._summary_cost += prices.cost(model_id, used.input, used.output)
        tokens: dict[str, Any] = {"inputTokens": used.input, "outputTokens": used.output}
        self.summary = {"modelId": model_id, **tokens, **({} if usage else {"estimated": True})}

    def cut(self) -> None:
        """The turn was interrupted: what the open round trip has used can only be estimated."""
        if self._open and self._open[1].accepted:
            self._add(None, *self._open)
        self._open = None

    @property
    def usage(self) -> dict[str, Any]:
        usage: dict[str, Any] = {"inputTokens": self.input, "outputTokens": self.output}
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

    def _add(self, usage: Usage | None, prompt: Prompt, step: Step) -> None:
        self.estimated |= usage is None
        usage = usage or _estimate(prompt, "".join(step.text))
        self.steps = step.number
        self.input += usage.input
        self.output += usage.output


def size(prompt: Prompt) -> int:
    """UTF-8 bytes of everything a prompt says, roughly as its wire will."""
    total = len(prompt.system.encode())
    total += sum(len(json.dumps(tool.schema)) + len(tool.description) for tool in prompt.tools)
    for message in prompt.messages:
        match message:
            case UserMessage(text):
                total += len(text.encode())
            case AssistantMessage(text, calls):
                total += len(text.encode())
                total += sum(len(json.dumps(call.input)) + len(call.name) for call in calls)
            case ToolResults(results):
                total += sum(len(result.content.encode()) for result in results)
    return total


def _estimate(prompt: Prompt, answer: str) -> Usage:
    asked, said = size(prompt), len(answer.encode())
    return Usage(asked // BYTES_PER_TOKEN + 1, said // BYTES_PER_TOKEN + 1)
