"""The events of a model's answer, the same for all providers.

A wire makes them from response bytes. `StepFinished` comes last, and only after the provider's own
terminal event; every other ending raises `ProviderError`.
"""

from dataclasses import dataclass
from typing import Literal

FinishReason = Literal["stop", "length", "tool-calls", "content-filter", "pause", "other"]

Fault = Literal[
    "busy",  # 429, 503, overloaded
    "down",  # unreachable, or another 5xx
    "refused-key",  # 401, 403, an unpaid account: only the operator can correct it
    "unknown-model",  # 404, a withdrawn model: only the operator can correct it
    "refused-request",  # 400, 422
    "too-long",  # longer than the model's context
    "garbled",  # not in the format of the wire
    "cut",  # ended before its terminal event
    "failed",  # the provider reported its own error
    "slow",  # nothing came for too long
]


OPERATOR_FAULTS: tuple[Fault, ...] = ("refused-key", "unknown-model")
PASSING_FAULTS: tuple[Fault, ...] = ("busy", "down")  # another try may help


class ProviderError(Exception):
    """The provider gave no complete answer. Contains no text of the provider."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault)
        self.fault = fault
        self.retry_after: float | None = None  # seconds, if its answer has this header


@dataclass(frozen=True, slots=True)
class Usage:
    """Numbers of tokens.

    `input` is the whole prompt, including the tokens that were read from the provider's cache or
    written to it.
    """

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0


@dataclass(frozen=True, slots=True)
class PromptCounted:
    """The provider's count of the prompt, sent before any content.

    `tokens` is the number of all tokens, including `cache_read` and `cache_write`.
    """

    tokens: int
    cache_read: int = 0
    cache_write: int = 0


@dataclass(frozen=True, slots=True)
class TextStarted:
    """A separate text begins: it does not continue a sentence of an earlier text.

    Only provider A sends several texts in one answer.
    """


@dataclass(frozen=True, slots=True)
class TextFragment:
    text: str


@dataclass(frozen=True, slots=True)
class CallStarted:
    """`key` numbers the calls of one step. `name` is the tool's own, or as received if unknown."""

    key: int
    name: str


@dataclass(frozen=True, slots=True)
class CallFragment:
    key: int
    fragment: str


@dataclass(frozen=True, slots=True)
class Progress:
    """The model works on something that is not part of the answer, such as reasoning."""


@dataclass(frozen=True, slots=True)
class FinishedCall:
    """A finished call: `arguments` is raw JSON. With a `fault` it must not be run."""

    key: int
    name: str
    arguments: str
    fault: Literal["cut", "refused"] | None = None


@dataclass(frozen=True, slots=True)
class StepFinished:
    """The terminal event. `usage` is None when the provider did not report it."""

    reason: FinishReason
    usage: Usage | None
    calls: tuple[FinishedCall, ...] = ()

    @property
    def is_refused(self) -> bool:
        """Whether the host refused a call that its model made."""
        return any(call.fault == "refused" for call in self.calls)


VISIBLE = (TextFragment, CallStarted)  # the user sees an answer from one of these on

Event = (
    PromptCounted
    | TextStarted
    | TextFragment
    | CallStarted
    | CallFragment
    | Progress
    | StepFinished
)
