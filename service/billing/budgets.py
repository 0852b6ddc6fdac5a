"""Budgets: what a user may spend on one day (in UTC), by `BUDGETS`.

The sum of a day is the charges on the user's own account, less their refunds, and all its open
holds. The hold is made first, which locks the account, and is freed again if it is too much. So
parallel calls can't exceed a budget together. A refund of an earlier day's charge does not count.
Source: docs/contract.md, section 17.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import BigInteger, bindparam, cast, func, or_, select

from service.auth.users import Caller, current_role
from service.billing.models import CHARGED_ON, Account, Entry
from service.billing.payer import Payer
from service.billing.spend import is_spent
from service.billing.units import count_credits, credits_text, to_credits
from service.database.clock import current_time
from service.database.statements import Statements
from service.extensions import table
from service.times import timestamp
from service.web.errors import InsufficientCredits

REFUSED = (
    "This may need {needed}, and your budget of {budget} a day has {left} left. "
    "It begins again at 00:00 UTC."
)

_accounts, _entries = table(Account), table(Entry)
# Earlier releases stored a refund without the day of its charge. It counts as a refund of today's.
_charged_on = func.coalesce(_entries.c.facts[CHARGED_ON].as_string(), bindparam("day"))
_spent = (
    select(cast(func.coalesce(func.sum(-_entries.c.amount), 0), BigInteger))
    .where(_entries.c.account == bindparam("account"), is_spent)
    .where(or_(_entries.c.kind != "grant", _charged_on == bindparam("day")))
    .where(_entries.c.created_at >= bindparam("since", type_=_entries.c.created_at.type))
)
_held = select(_accounts.c.held).where(_accounts.c.subject == bindparam("account"))
TIME = select(current_time())
SUMS = select(_spent.scalar_subquery().label("spent"), _held.scalar_subquery().label("held"))


@dataclass(frozen=True)
class SpentDay:
    """What an account has spent and holds today, in micro-credits; `ends` at the next midnight."""

    spent: int
    held: int
    ends: datetime

    def is_over(self, budget: int) -> bool:
        return self.spent + self.held > budget


def budget_of(budgets: Mapping[str, int], caller: Caller) -> int | None:
    """Return the budget of the caller's role, or of everybody, in micro-credits; None without one.

    Raises `Unauthorized` for a user who was just disabled or erased.
    """
    if not budgets:
        return None
    return budgets.get(current_role(caller), budgets.get(""))


def today(session: Statements, account: str) -> SpentDay:
    connection = session.connection()
    moment: datetime = connection.execute(TIME).scalar_one()
    begins = moment.replace(hour=0, minute=0, second=0, microsecond=0)
    names = {"account": account, "since": begins, "day": begins.date().isoformat()}
    sums = connection.execute(SUMS, names).one()
    spent = max(int(sums.spent), 0)  # a host's clock may put a charge on the day before its job
    return SpentDay(spent, sums.held or 0, begins + timedelta(days=1))


def refusal(session: Statements, payer: Payer, amount: int) -> InsufficientCredits | None:
    """Return the refusal of `amount`, which the account holds already; None within the budget."""
    if payer.budget is None:
        return None
    day = today(session, payer.subject)
    if not day.is_over(payer.budget):
        return None
    left = max(payer.budget - day.spent - day.held + amount, 0)
    message = REFUSED.format(
        needed=count_credits(to_credits(amount)),
        budget=count_credits(to_credits(payer.budget)),
        left=credits_text(left),
    )
    return InsufficientCredits(to_credits(amount), to_credits(left), message, timestamp(day.ends))
