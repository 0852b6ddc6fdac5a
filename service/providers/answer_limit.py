"""The size limit of one answer, far above what a model writes.

A host that sends without end must not fill its worker's memory, or the row of the answer.
"""

from service.providers.events import (
    CallFragment,
    CallStarted,
    Event,
    ProviderError,
    TextFragment,
    TextStarted,
)

MOST_CHARACTERS = 32 << 20  # of an answer's texts, and of the names and arguments of its calls
MOST_PARTS = 1000  # texts and calls


class AnswerRoom:
    """The remaining size of an answer. `spend` counts texts that the event loop takes."""

    __slots__ = ("_characters", "_parts")

    def __init__(self) -> None:
        self._characters, self._parts = MOST_CHARACTERS, MOST_PARTS

    def take(self, event: Event) -> None:
        """Count an event. Raises `ProviderError` if there is no room for it."""
        match event:
            case TextFragment(text) | CallFragment(_, text):
                self._characters -= len(text)
            case CallStarted(_, name):
                self._characters -= len(name)
                self._parts -= 1
            case TextStarted():
                self._parts -= 1
        if self._characters < 0 or self._parts < 0:
            raise ProviderError("garbled")

    def has(self, texts: list[str]) -> bool:
        """Return whether there is room for all these texts."""
        return sum(map(len, texts)) <= self._characters

    def spend(self, texts: list[str]) -> None:
        self._characters -= sum(map(len, texts))
