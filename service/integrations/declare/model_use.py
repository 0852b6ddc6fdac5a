"""The use of a model by a composed endpoint, within limits that are known beforehand."""

from collections.abc import Mapping
from dataclasses import dataclass

from service.billing import prices
from service.providers.provider import Model


@dataclass(frozen=True)
class ModelUse:
    """`calls` calls of a model, each with at most so many tokens of prompt and of answer.

    The most that they can cost is held before the call, and their real cost is added to its price.
    """

    model_id: str
    prompt_tokens: int
    output_tokens: int
    calls: int = 1

    def __post_init__(self) -> None:
        """Raise ValueError for an unknown model."""
        if self.model_id not in prices.MODEL_PRICES:
            raise ValueError(f"no model is named {self.model_id!r}")

    def missing(self, models: Mapping[str, Model]) -> str | None:
        """Return the setting without a value that the model's provider needs, or None."""
        return models[self.model_id].provider.missing_setting

    @property
    def max_cost(self) -> int:
        """The most that the calls can cost, in micro-credits."""
        return self.calls * prices.max_cost(self.model_id, self.prompt_tokens, self.output_tokens)
