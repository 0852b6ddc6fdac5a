"""One prompt to one model, with its usage so far and its cost."""

from dataclasses import dataclass, field
from typing import Generic, TypeVar

from service.billing import prices
from service.generation.arriving_text import ArrivingText
from service.providers.events import PromptCounted, Usage
from service.providers.prompt import Prompt
from service.providers.provider import Model
from service.providers.tokens import bound, likely

Text = TypeVar("Text", covariant=True)  # a type whose `str` is the text of an answer so far


@dataclass
class RoundTrip(Generic[Text]):
    """A request to a model. `model_call.stream_events` fills it in while it reads the answer.

    It does not fill in `text`, whose `str` is the text of the answer so far: the reader of the
    events builds it, in a type of its own. `calls` has the names and arguments of the answer's
    calls so far. `accepted` becomes true at a status of 200, and false again if the provider itself
    fails: then nothing is owed. `is_visible` becomes true at the first event that the user sees.
    `counted` and `reported` are the provider's counts, sent at the beginning and at the end of its
    answer.
    """

    model: Model
    prompt: Prompt
    text: Text
    accepted: bool = False
    is_visible: bool = False
    counted: PromptCounted | None = None
    reported: Usage | None = None
    calls: ArrivingText = field(default_factory=ArrivingText)

    @property
    def max_cost(self) -> int:
        """The highest possible cost, in micro-credits: the amount to hold before it begins."""
        return prices.max_cost(self.model.id, self.prompt.tokens, self.prompt.max_output_tokens)

    @property
    def is_estimated(self) -> bool:
        """Whether the usage is an estimate, because the provider has not reported it."""
        return self.reported is None

    @property
    def usage(self) -> Usage:
        """The reported tokens, or else an estimate from the prompt and the answer so far."""
        if self.reported:
            return self.reported
        counted = self.counted or PromptCounted(likely(self.prompt.tokens))
        output = likely(bound(str(self.text)) + bound(str(self.calls)))
        return Usage(counted.tokens, output, counted.cache_read, counted.cache_write)

    @property
    def cost(self) -> int:
        """The cost in micro-credits; also valid after an error. 0 unless accepted."""
        return cost(self.model, self.usage) if self.accepted else 0


def cost(model: Model, usage: Usage) -> int:
    """Return the cost in micro-credits."""
    counts = (usage.input, usage.output, usage.cache_read, usage.cache_write)
    return prices.cost(model.id, *counts)
