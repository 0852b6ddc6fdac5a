"""Prices of endpoints whose vendor charges by the parameters or the result of a call."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from service.billing.prices import DOLLAR

TOO_MUCH = 10  # times the most that a call can cost: a higher report is ignored
MOST_DOLLARS = 1_000_000


@dataclass(frozen=True)
class Meter:
    """The price of a call in US dollars, by its parameters or its result.

    `most(params)` returns the most that a call with these valid parameters can cost. `used(data)`
    returns the cost that the vendor's answer, in our shape, reports, or None if it reports none.
    """

    most: Callable[[Mapping[str, Any]], float]
    used: Callable[[Any], Any]

    def reported_cost(self, data: Any) -> int | None:
        """Return the reported cost in micro-credits, or None if no call can have it."""
        try:
            return micro_credits(self.used(data))
        except OverflowError:  # of a number of some hundred digits
            return None


def dollars_of(amount: float | None, price: float) -> float | None:
    """Return the cost of an amount, or None if it is not known, or has some hundred digits."""
    try:
        return None if amount is None else amount * price
    except OverflowError:
        return None


def micro_credits(dollars: Any) -> int | None:
    """Convert US dollars to micro-credits. Return None for an amount that can't be a price."""
    is_number = isinstance(dollars, int | float) and not isinstance(dollars, bool)
    return round(dollars * DOLLAR) if is_number and 0 <= dollars <= MOST_DOLLARS else None
