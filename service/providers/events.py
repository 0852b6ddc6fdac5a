"""What a model's answer says, in no provider's words.

A wire turns response bytes into these. `StepFinished` comes last and only after the provider's
own terminal event; every other ending raises `ProviderError`.
"""

import re
from dataclasses import dataclass
from typing import Literal

FinishReason = Literal["stop", "length", "tool-calls", "content-filter", "pause", "other"]

Fault = Literal[
    "busy",  # 429, 5xx, overloaded
    "refused-key",  # 401, 403, an account without money: only the operator can mend it
    "unknown-model",  # 404, a model that was withdrawn: likewise
    "refused-request",  # 400, 422
    "too-long",  # more than the model's context holds
    "garbled",  # not what the wire promises
    "cut",  # ended before its terminal event
    "failed",  # the provider reported an error of its own
    "slow",  # nothing came for too long
]


OPERATORS: tuple[Fault, ...] = ("refused-key", "unknown-model")


class ProviderError(Exception):
    """The provider gave no whole answer. Bears nothing of what the provider wrote."""

    def __init__(self, fault: Fault, retry_after: float | None = None) -> None:
        super().__init__(fault)
        self.fault = fault
        self.retry_after = retry_after


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens. `input` counts the whole prompt, with what was read from the provider's cache and
    what was written to it."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0


@dataclass(frozen=True, slots=True)
class PromptCounted:
    """The provider's count of the prompt, sent before any content.

    `tokens` are all of them, `cache_read` and `cache_write` those that were read from its cache and
    written to it.
    """

    tokens: int
    cache_read: int = 0
    cache_write: int = 0


@dataclass(frozen=True, slots=True)
class Text:
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
    """The model is at work on something that is not shown, such as reasoning."""


@dataclass(frozen=True, slots=True)
class FinishedCall:
    """A whole call: `arguments` is raw JSON. With a `fault` it must not be run."""

    key: int
    name: str
    arguments: str
    fault: Literal["cut", "refused"] | None = None


@dataclass(frozen=True, slots=True)
class StepFinished:
    """The terminal event. `usage` is None when the provider did not say."""

    reason: FinishReason
    usage: Usage | None
    calls: tuple[FinishedCall, ...] = ()

    @property
    def refused(self) -> bool:
        """The host itself refused a call of its model."""
        return any(call.fault == "refused" for call in self.calls)


Event = PromptCounted | Text | CallStarted | CallFragment | Progress | StepFinished

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def storable(text: str) -> str:
    """`text` with NUL and unpaired surrogates, which no database or UTF-8 takes, as U+FFFD."""
    return _UNSTORABLE.sub("\ufffd", text)
