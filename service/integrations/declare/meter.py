"""Prices of endpoints whose vendor charges by the parameters or the result of a call."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from service.billing.units import DOLLAR
from service.integrations.declare.forms import check_forms

TOO_MUCH = 10  # times the most that a call can cost: a higher report is ignored
MOST = 1_000_000  # dollars or credits of a call


@dataclass(frozen=True)
class Meter:
    """The price of a call in US dollars, by its parameters or its result.

    `most(params)` returns the most that a call with these valid parameters can cost. `used(data)`
    returns the cost that the vendor's answer, in our shape, reports, or None if it reports none.
    """

    most: Callable[[Mapping[str, Any]], float]
    used: Callable[[Any], Any]

    def __post_init__(self) -> None:
        """Raise ValueError for a field of another type."""
        check_forms(self)

    def reported_cost(self, data: Any) -> int | None:
        """Return the reported cost in micro-credits, or None if no call can have it."""
        try:
            return price_of(self.used(data))
        except OverflowError:  # of a number of some hundred digits
            return None


def dollars_of(amount: float | None, price: float) -> float | None:
    """Return the cost of an amount, or None if it is not known, or has some hundred digits."""
    try:
        return None if amount is None else amount * price
    except OverflowError:
        return None


def price_of(dollars: Any) -> int | None:
    """Return the price in micro-credits, or None for an amount that can't be a price in dollars."""
    return round(dollars * DOLLAR) if is_amount(dollars) else None


def is_amount(value: Any) -> bool:
    """Return whether a call can cost this, in dollars or credits."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and 0 <= value <= MOST
