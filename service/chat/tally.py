"""What a turn has used so far, and how its last step ended."""

from dataclasses import dataclass
from typing import Any

from service.chat.step import Step
from service.providers.events import FinishReason, Usage
from service.providers.prompt import AssistantMessage, Prompt, ToolResults, UserMessage

CHARACTERS_PER_TOKEN = 4  # a rough mean of English text; only where the provider is silent


@dataclass
class Tally:
    """Sums over the steps of a turn. `estimated` is true once a provider did not say."""

    steps: int = 0
    input: int = 0
    output: int = 0
    estimated: bool = False
    reason: FinishReason = "other"

    def add(self, number: int, prompt: Prompt, step: Step) -> None:
        assert step.finished
        usage = step.finished.usage or _estimate(prompt, "".join(step.text))
        self.estimated |= step.finished.usage is None
        self.steps = number
        self.input += usage.input
        self.output += usage.output
        self.reason = step.finished.reason

    @property
    def metadata(self) -> dict[str, Any]:
        """What travels in `messageMetadata` of the last chunk."""
        usage: dict[str, Any] = {"inputTokens": self.input, "outputTokens": self.output}
        if self.estimated:
            usage["estimated"] = True
        return {"finishReason": self.reason, "steps": self.steps, "usage": usage}


def _estimate(prompt: Prompt, answer: str) -> Usage:
    asked = len(prompt.system)
    for message in prompt.messages:
        match message:
            case UserMessage(text) | AssistantMessage(text):
                asked += len(text)
            case ToolResults(results):
                asked += sum(len(result.content) for result in results)
    return Usage(asked // CHARACTERS_PER_TOKEN + 1, len(answer) // CHARACTERS_PER_TOKEN + 1)
