"""What was too low for a hold: the balance, the limit of a token, or the budget of the day."""

from typing import Literal

from service.billing import allowances, budgets
from service.billing.charges import free_credits
from service.billing.payer import Payer
from service.database.statements import Statements

Shortage = Literal["balance", "token", "budget"]


def find_shortage(session: Statements, payer: Payer, more: int) -> Shortage:
    """Return what is too low for `more` micro-credits, which the ledger has just refused to hold.

    It is the balance if nothing else is: credits may have become free since the refusal.
    """
    limit, budget = payer.limit, payer.budget
    if free_credits(session, payer.subject) < more:
        return "balance"
    if limit and allowances.remaining(session, limit.token_id) < more:
        return "token"
    if budget is not None and budgets.today(session, payer.subject).is_over(budget - more):
        return "budget"
    return "balance"
