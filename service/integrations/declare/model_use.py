"""The use that a composed endpoint makes of a model, within limits that are known beforehand."""

from collections.abc import Mapping
from dataclasses import dataclass

from service.billing import prices
from service.providers.provider import Model


@dataclass(frozen=True)
class ModelUse:
    """`calls` calls of a model, each with at most so many tokens of prompt and of answer.

    The most that this can cost is held before the call; the real cost is added to its price.
    """

    model_id: str
    prompt_tokens: int
    output_tokens: int
    calls: int = 1

    def missing(self, models: Mapping[str, Model]) -> str | None:
        """The setting without a value that the model's provider needs, or None."""
        return models[self.model_id].provider.missing_setting

    @property
    def max_cost(self) -> int:
        """Micro-credits."""
        return self.calls * prices.max_cost(self.model_id, self.prompt_tokens, self.output_tokens)
