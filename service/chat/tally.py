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
class Receipt:
    """What a provider says of one round trip. Nothing is owed for it before it is accepted, nor
    after the provider itself has failed."""

    accepted: bool = False
    prompt_tokens: int | None = None  # told at the beginning
    usage: Usage | None = None  # told at the end

    def used(self, prompt: Prompt, said: str) -> Usage:
        """As told, otherwise an estimate."""
        asked = self.prompt_tokens or size(prompt) // BYTES_PER_TOKEN + 1
        return self.usage or Usage(asked, len(said.encode()) // BYTES_PER_TOKEN + 1)


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
    _open: tuple[Prompt, Step, Receipt] | None = None

    @property
    def cost(self) -> int:
        """Micro-credits."""
        return prices.cost(self.model.id, self.input, self.output) + self._summary_cost

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
        self._summary_cost += prices.cost(model_id, used.input, used.output)
        self.summary = {
            "modelId": model_id,
            "inputTokens": used.input,
            "outputTokens": used.output,
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

    def _add(self, prompt: Prompt, step: Step, receipt: Receipt) -> None:
        used = receipt.used(prompt, "".join(step.text))
        self.estimated |= receipt.usage is None
        self.steps = step.number
        self.input += used.input
        self.output += used.output


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
