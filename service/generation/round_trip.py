"""One prompt to one model, what it has used so far, and what that costs."""

from dataclasses import dataclass
from typing import Generic, TypeVar

from service.billing import prices
from service.providers.events import PromptCounted, Usage
from service.providers.prompt import Prompt
from service.providers.provider import Model
from service.providers.tokens import bound, likely

Text = TypeVar("Text")  # a type whose `str` is the text of an answer so far


@dataclass
class RoundTrip(Generic[Text]):
    """A request to a model. `model_call.stream_events` fills it in while it reads the answer.

    Except `text`, whose `str` is the text of the answer so far: who reads the events puts it
    together, in a type of their own. `accepted` is true from a status of 200 on, and false again
    once the provider itself has failed: nothing is owed then. `counted` and `reported` are the
    provider's counts, sent at the beginning and at the end of its answer.
    """

    model: Model
    prompt: Prompt
    text: Text
    accepted: bool = False
    counted: PromptCounted | None = None
    reported: Usage | None = None

    @property
    def max_cost(self) -> int:
        """The most that it can cost, in micro-credits: the amount to hold before it begins."""
        return prices.max_cost(self.model.id, self.prompt.tokens, self.prompt.max_output_tokens)

    @property
    def is_estimated(self) -> bool:
        """Whether the provider has not reported the usage."""
        return self.reported is None

    @property
    def usage(self) -> Usage:
        """The tokens as reported, otherwise an estimate from the prompt and the text so far."""
        if self.reported:
            return self.reported
        counted = self.counted or PromptCounted(likely(self.prompt.tokens))
        output = likely(bound(str(self.text)))
        return Usage(counted.tokens, output, counted.cache_read, counted.cache_write)

    @property
    def cost(self) -> int:
        """What it costs, in micro-credits; also good after an error. 0 unless accepted."""
        return cost(self.model, self.usage) if self.accepted else 0


def cost(model: Model, usage: Usage) -> int:
    """Micro-credits."""
    counts = (usage.input, usage.output, usage.cache_read, usage.cache_write)
    return prices.cost(model.id, *counts)
