"""Prices of endpoints whose vendor charges by what is asked for."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from service.billing.prices import DOLLAR

TOO_MUCH = 10  # times the most that a call can cost: a higher report is not believed
MOST = 1_000_000  # US dollars


@dataclass(frozen=True)
class Meter:
    """The price of an endpoint whose vendor charges by what is asked for, in US dollars.

    `most(params)` is the most that a call with these valid parameters can cost. `used(data)` is
    the cost that the vendor's answer, in our shape, reports; None if it reports none.
    """

    most: Callable[[Mapping[str, Any]], float]
    used: Callable[[Any], Any]

    def reported_cost(self, data: Any) -> int | None:
        """The cost that an answer reports, in micro-credits; None if that can't be a call's."""
        try:
            return micro_credits(self.used(data))
        except OverflowError:  # of a number of some hundred digits
            return None


def dollars_of(amount: float | None, price: float) -> float | None:
    """What an amount costs; None if it is not known, or has some hundred digits."""
    try:
        return None if amount is None else amount * price
    except OverflowError:
        return None


def micro_credits(dollars: Any) -> int | None:
    """An amount of US dollars in micro-credits; None for what can't be a call's price."""
    is_number = isinstance(dollars, int | float) and not isinstance(dollars, bool)
    return round(dollars * DOLLAR) if is_number and 0 <= dollars <= MOST else None
