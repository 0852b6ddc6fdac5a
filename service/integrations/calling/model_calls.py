"""Call models for composed endpoints, within the limits that the endpoint declares."""

from bisect import bisect_right
from collections.abc import Mapping

from service.generation import completion
from service.integrations.declare.model_use import ModelUse
from service.outbound.upstream import Upstream
from service.providers.events import ProviderError
from service.providers.provider import Model
from service.providers.tokens import MOST_CHARACTERS, bound
from service.storable import make_storable
from service.web.errors import ServiceError, UpstreamFailed, UpstreamTimedOut


class ModelAsking:
    """The model calls of one call of an endpoint, with their tokens and their cost so far.

    `cost` is in micro-credits.
    """

    def __init__(self, upstream: Upstream, models: Mapping[str, Model], use: ModelUse) -> None:
        """Raise `NotConfigured` if the model's provider has no key."""
        self._upstream, self._models, self._use = upstream, models, use
        self._left = use.calls
        self.cost = 0
        self.input_tokens = self.output_tokens = 0
        completion.require_configured(models[use.model_id])

    def complete(self, system: str, text: str, seconds: float) -> str:
        """Return the model's answer to a text, which is cut at the declared limit.

        Unpaired surrogates, which vendors' texts may have, are replaced by U+FFFD. An answer that
        reached its own limit ends with an ellipsis.

        Raises `UpstreamFailed`, `UpstreamTimedOut`.
        """
        assert self._left, "the endpoint declares fewer calls of its model"
        self._left -= 1
        use = self._use
        fitting = cut(make_storable(text), use.prompt_tokens - bound(system))
        trip = completion.prepare(self._models, use.model_id, system, fitting, use.output_tokens)
        try:
            answer = completion.complete(self._upstream, trip, seconds)
        except ProviderError as error:
            raise _failure(error) from None
        finally:
            self.cost += trip.cost
            self.input_tokens += trip.usage.input
            self.output_tokens += trip.usage.output
        is_cut = answer.text and answer.reason == "length"
        return f"{answer.text}…" if is_cut else answer.text


def cut(text: str, tokens: int) -> str:
    """Return the longest beginning of a text that has at most `tokens` by our upper bound."""
    if bound(text) <= tokens:
        return text
    lengths = range(1, min(len(text), tokens * MOST_CHARACTERS + 1))
    return text[: bisect_right(lengths, tokens, key=lambda length: bound(text[:length]))]


def _failure(error: ProviderError) -> ServiceError:
    return UpstreamTimedOut() if error.fault == "slow" else UpstreamFailed(upstreamStatus=None)
