"""The limit on how often one user may call an endpoint."""

from collections.abc import Iterator
from dataclasses import dataclass

from service.integrations.declare.forms import check_forms

LONGEST_SECONDS = 24 * 3600


@dataclass(frozen=True, kw_only=True)
class Limit:
    """Each user may make a number of `calls` in a window of `seconds`.

    The first call begins the window. Kept answers do not count.
    """

    calls: int
    seconds: int

    def __post_init__(self) -> None:
        """Raise ValueError for a field of another type."""
        check_forms(self)

    def faults(self) -> Iterator[str]:
        """Yield the faults of the declaration."""
        if self.calls < 1:
            yield "its limit must allow at least one call"
        if not 0 < self.seconds <= LONGEST_SECONDS:
            yield f"the window of its limit must have 1 to {LONGEST_SECONDS} seconds"
