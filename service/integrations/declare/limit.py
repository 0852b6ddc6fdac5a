"""How often one user may call an endpoint."""

from collections.abc import Iterator
from dataclasses import dataclass

LONGEST = 24 * 3600


@dataclass(frozen=True, kw_only=True)
class Limit:
    """Each user may make so many `calls` in a window of so many `seconds`.

    The first call begins the window. Answers that are given again do not count.
    """

    calls: int
    seconds: int

    def faults(self) -> Iterator[str]:
        """What is wrong with it."""
        if self.calls < 1:
            yield "its limit must allow at least one call"
        if not 0 < self.seconds <= LONGEST:
            yield f"the window of its limit must have 1 to {LONGEST} seconds"
