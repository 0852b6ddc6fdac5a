"""Whether a payer can afford an amount, before a person is asked to allow what it pays for."""

from contextlib import suppress

from service.billing import ledger
from service.billing.payer import Payer
from service.database.access import write_transaction
from service.ids import new_id


class _Affordable(Exception):
    """Rolls the hold back."""


def check(payer: Payer, amount: int, starting: int) -> None:
    """Raise `InsufficientCredits` if `amount` micro-credits can't be held now. Holds nothing.

    `starting` is as in `ledger.reserve`. Needs an app context.
    """
    with suppress(_Affordable), write_transaction() as session:
        ledger.reserve(session, payer, amount, new_id("call"), None, 0.0, starting)
        raise _Affordable
