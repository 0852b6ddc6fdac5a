"""A model that asks the same again and again is told that it has its answer already."""

import json
from collections import Counter
from typing import Any

ANSWERED = "already answered above"
ALLOWED = 2  # identical reads in a turn, with no write in between


class LoopGuard:
    """What this turn has asked its tools so far."""

    def __init__(self) -> None:
        self._asked: Counter[str] = Counter()

    def repeats(self, name: str, given: Any, reads: bool) -> bool:
        """Whether this call need not be run; a write makes every read worth asking again."""
        if not reads:
            self._asked.clear()
            return False
        call = json.dumps([name, given], sort_keys=True, default=str)
        self._asked[call] += 1
        return self._asked[call] > ALLOWED
