"""A read that a model repeats in one turn is not run again."""

import json
from collections import Counter
from typing import Any

ANSWERED = "already answered above"
ALLOWED = 2  # identical reads in a turn, with no write in between


class LoopGuard:
    """Counts the read calls of one turn."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()

    def repeats(self, name: str, tool_input: Any, reads: bool) -> bool:
        """Whether this call need not be run. A write allows every read again."""
        if not reads:
            self._counts.clear()
            return False
        call = json.dumps([name, tool_input], sort_keys=True, default=str)
        self._counts[call] += 1
        return self._counts[call] > ALLOWED
