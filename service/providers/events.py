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
    "refused-key",  # 401, 403, an account without money: only the operator can mend it
    "unknown-model",  # 404, a model that was withdrawn: only the operator can mend it
    "refused-request",  # 400, 422
    "too-long",  # more than the model's context holds
    "garbled",  # not in the format of the wire
    "cut",  # ended before its terminal event
    "failed",  # the provider reported an error of its own
    "slow",  # nothing came for too long
]


OPERATORS: tuple[Fault, ...] = ("refused-key", "unknown-model")
PASSING: tuple[Fault, ...] = ("busy", "down")  # another try may help


class ProviderError(Exception):
    """The provider gave no whole answer. Contains no text of the provider."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault)
        self.fault = fault
        self.retry_after: float | None = None  # seconds, if its answer has said so


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens. `input` counts the whole prompt, including the tokens that were read from the
    provider's cache and those that were written to it."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0


@dataclass(frozen=True, slots=True)
class PromptCounted:
    """The provider's count of the prompt, sent before any content.

    `tokens` are all of them, including `cache_read` and `cache_write`.
    """

    tokens: int
    cache_read: int = 0
    cache_write: int = 0


@dataclass(frozen=True, slots=True)
class TextStarted:
    """A text of its own begins: no sentence of an earlier text goes on in it.

    Only provider A has several texts in one answer.
    """


@dataclass(frozen=True, slots=True)
class TextFragment:
    text: str


@dataclass(frozen=True, slots=True)
class CallStarted:
    """`key` numbers the calls of one step; `name` is the tool's own, or as received if unknown."""

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
    """A whole call: `arguments` is raw JSON. With a `fault` it must not be run."""

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
        """Whether the host itself refused a call of its model."""
        return any(call.fault == "refused" for call in self.calls)


VISIBLE = (TextFragment, CallStarted)  # with these a user begins to see an answer

Event = (
    PromptCounted
    | TextStarted
    | TextFragment
    | CallStarted
    | CallFragment
    | Progress
    | StepFinished
)
