"""Charge a closed hold: change the balance and add the entry, in the caller's transaction.

A cost is charged up to the account's free balance, and up to the remaining allowance of the hold,
if there is one. The remainder is recorded as a loss.
"""

from typing import Any

import structlog
from sqlalchemy import Row, bindparam, insert, select, update

from service.billing import allowances
from service.billing.models import Account, Entry
from service.database.prepared import Prepared
from service.database.statements import Statements
from service.extensions import table
from service.ids import new_id
from service.times import now

ClosedHold = Row[str, int, int, str, str | None]  # account, amount, used, ref and token_id

log = structlog.get_logger("ledger")

# Built once, because building a statement takes several times as long as running it.
_accounts, _entries = table(Account), table(Entry)
_this_account = _accounts.c.subject == bindparam("account")

FREE_CREDITS = select(_accounts.c.balance - _accounts.c.held).where(_this_account).with_for_update()
FREE_AND_CHARGE = Prepared(
    update(_accounts)
    .where(_this_account)
    .values(
        held=_accounts.c.held - bindparam("freed"),
        balance=_accounts.c.balance - bindparam("charged"),
    )
)
CHARGED = select(_entries.c.amount).where(
    _entries.c.account == bindparam("account"),
    _entries.c.kind == "charge",
    _entries.c.ref == bindparam("ref"),
)
INSERT_ENTRY = Prepared(insert(_entries).inline())


def charge(
    session: Statements, hold: ClosedHold, cost: int, what: str, facts: dict[str, Any]
) -> int:
    """Free the credits of a hold and charge `cost`, up to what the account has."""
    assert cost >= 0
    charged = cost
    if cost > hold.amount:
        charged = min(cost, hold.amount + _chargeable(session, hold))
    _update_account(session, hold.account, hold.amount, charged)
    allowances.spend(session, hold.token_id, charged - hold.amount)
    _add_entry(session, hold, "charge", charged, cost - charged, what, facts)
    return charged


def charge_late(
    session: Statements, hold: ClosedHold, cost: int, what: str, facts: dict[str, Any]
) -> int:
    """Charge the part of a swept hold's cost that the sweeper did not charge.

    Returns the sum of the two charges.
    """
    earlier = session.connection().scalar(CHARGED, {"account": hold.account, "ref": hold.ref})
    before = -(earlier or 0)
    missing = max(0, cost - before)
    charged = min(missing, _chargeable(session, hold))
    kind = "charge" if earlier is None else "rest"
    _update_account(session, hold.account, 0, charged)
    allowances.spend(session, hold.token_id, charged)
    _add_entry(session, hold, kind, charged, missing - charged, what, facts)
    return before + charged


def free_credits(session: Statements, account: str) -> int:
    """Return the balance minus the open holds. Locks the account until the commit."""
    return session.connection().scalar(FREE_CREDITS, {"account": account}) or 0


def _chargeable(session: Statements, hold: ClosedHold) -> int:
    """Return the micro-credits that can be charged beyond the hold."""
    free = free_credits(session, hold.account)
    return min(free, allowances.remaining(session, hold.token_id)) if hold.token_id else free


def entry_values(
    subject: str, kind: str, amount: int, ref: str, what: str, facts: dict[str, Any]
) -> dict[str, Any]:
    """Return the column values of a new entry."""
    values = {"account": subject, "kind": kind, "amount": amount, "ref": ref, "what": what}
    return {**values, "entry_id": new_id("entry"), "facts": facts, "created_at": now()}


def _update_account(session: Statements, account: str, freed: int, charged: int) -> None:
    changes = {"account": account, "freed": freed, "charged": charged}
    FREE_AND_CHARGE.send(session.connection(), changes)


def _add_entry(
    session: Statements,
    hold: ClosedHold,
    kind: str,
    charged: int,
    loss: int,
    what: str,
    facts: dict[str, Any],
) -> None:
    """Add the entry, unless charge and loss are 0; log a loss."""
    if loss:
        facts = {**facts, "loss": loss}
        log.warning("loss", ref=hold.ref, what=what, micro_credits=loss)
    if charged or loss:
        entry = entry_values(hold.account, kind, -charged, hold.ref, what, facts)
        INSERT_ENTRY.send(session.connection(), entry)
