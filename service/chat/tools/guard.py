"""A guard against loops: a read that a model repeats in one turn is not made again.

Source: docs/contract.md, section 8.6.
"""

import json
from collections import Counter
from typing import Any

ANSWERED = "already answered above"
ALLOWED = 2  # identical reads in a turn, with no write in between


class LoopGuard:
    """Counts the reads of one turn that were answered, or are being made."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()

    def repeats(self, name: str, tool_input: Any) -> bool:
        """Return whether this read need not be made. If it is made, it counts until it fails."""
        call = _key(name, tool_input)
        if self._counts[call] >= ALLOWED:
            return True
        self._counts[call] += 1
        return False

    def forget(self, name: str, tool_input: Any) -> None:
        """Stop counting a read that has failed, because its answer is not in the prompt."""
        self._counts[_key(name, tool_input)] -= 1

    def clear(self) -> None:
        """Allow every read again, because a write is made. No read is being made at this time."""
        self._counts.clear()


def _key(name: str, tool_input: Any) -> str:
    return json.dumps([name, tool_input], sort_keys=True, default=str)
