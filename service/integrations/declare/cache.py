"""The time for which an endpoint's answers may be given again without asking the vendor."""

from collections.abc import Iterator
from dataclasses import dataclass

from service.integrations.declare.forms import check_forms

LONGEST_SECONDS = 7 * 24 * 3600


@dataclass(frozen=True, kw_only=True)
class Cache:
    """An answer is given again for the same parameters during `seconds`.

    If it is `shared`, all users get the same answer, because it comes from the operator's account.
    Otherwise only the user who made the call gets it again.
    """

    seconds: float
    shared: bool

    def __post_init__(self) -> None:
        """Raise ValueError for a field of another type."""
        check_forms(self)

    def faults(self, *, reads: bool, slow: bool, scoped: bool, makes: bool) -> Iterator[str]:
        """Yield its faults, for an endpoint that reads, is slow, needs a scope, or makes media."""
        if not 0 < self.seconds <= LONGEST_SECONDS:
            yield f"its cache must last more than 0 and at most {LONGEST_SECONDS} seconds"
        if not reads:
            yield "has a cache, and writes"
        if slow:
            yield "has a cache, and is a job"
        if scoped and self.shared:
            yield "has a shared cache, and answers that are a user's own"
        if makes:
            yield "has a cache, and makes media"
