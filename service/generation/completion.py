"""A model's whole answer as one text, for code without a conversation or a stream.

The caller holds the highest possible cost, and settles the real cost however the call ends:

    trip = completion.prepare(models, "llm-haiku-4-5", SYSTEM, papers, max_output_tokens=1000)
    hold(trip.max_cost)
    try:
        answer = completion.complete(upstream, trip, seconds=30).text
    finally:
        settle(trip.cost)
"""

from collections.abc import Mapping
from dataclasses import dataclass

import gevent

from service.app_keys import AppKey
from service.generation.arriving_text import ArrivingText
from service.generation.deadline import Deadline
from service.generation.model_call import stream_events
from service.generation.round_trip import RoundTrip
from service.outbound.upstream import Upstream
from service.providers.events import (
    FinishReason,
    ProviderError,
    StepFinished,
    TextFragment,
    TextStarted,
)
from service.providers.prompt import Prompt, UserMessage
from service.providers.provider import Model
from service.web.errors import NotConfigured

MODELS = AppKey[Mapping[str, Model]]("models")  # by id


@dataclass(frozen=True)
class Completion:
    """The text of an answer, and the reason why it ended.

    `reason` is "length" if the text was cut at the token limit, and "content-filter" if the model
    declined to write it. The usage and the cost are those of the round trip.
    """

    text: str
    reason: FinishReason


def prepare(
    models: Mapping[str, Model], model_id: str, system: str, text: str, max_output_tokens: int
) -> RoundTrip[ArrivingText]:
    """Return the round trip for a system text and a user's text. Makes no network call.

    `models` is `MODELS.of(app)`. Raises KeyError for an unknown id, and `NotConfigured` for a model
    whose provider has no key.
    """
    model = models[model_id]
    require_configured(model)
    messages = (UserMessage(text),)
    prompt = Prompt(system, messages, max_output_tokens=max_output_tokens, cacheable=False)
    return RoundTrip(model, prompt, ArrivingText())


def require_configured(model: Model) -> None:
    """Raise `NotConfigured`, which names the missing setting, if the provider has no key."""
    if model.provider.missing_setting:
        raise NotConfigured(model.provider.missing_setting)


def complete(upstream: Upstream, trip: RoundTrip[ArrivingText], seconds: float) -> Completion:
    """Ask the model and wait for its whole answer, at most `seconds` in all, with retries.

    Raises `ProviderError`; its fault is "slow" when the time has passed. The connection is closed
    then, and `trip.cost` is the estimated cost of the text received so far.
    """
    finished: StepFinished | None = None
    gap = ""  # between two texts of one answer, as in a message of a chat
    # The timer raises the same error, in the same place, as the deadline of a turn does.
    with gevent.Timeout(seconds, ProviderError("slow")):
        for event in stream_events(upstream, trip, Deadline(seconds)):
            match event:
                case TextFragment(text):
                    trip.text.append(gap + text)
                    gap = ""
                case TextStarted() if trip.text:
                    gap = "\n\n"
                case StepFinished():
                    finished = event
    assert finished, "every other end raises"
    return Completion(str(trip.text).strip(), finished.reason)
