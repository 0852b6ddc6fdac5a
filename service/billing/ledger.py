"""The ledger: accounts, their entries, and holds on their balances.

Amounts are integer micro-credits. Each function takes the session of an open
`write_transaction()`, so that a caller can charge in the transaction that writes its rows. A
function locks a hold before its account, and an account before an allowance; `reserve` locks both
before it inserts the hold.

A hold is open until its owner settles or releases it, or until a sweeper sweeps it because its
owner seems dead. If the owner is alive and settles a swept hold, it is charged only the part that
the sweeper did not charge.
"""

from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Double, Select, and_, bindparam, insert, select, update
from sqlalchemy.orm import Session

from service.auth.erasure import erased_at
from service.billing import allowances, budgets, closing
from service.billing.charges import charge, charge_late, entry_values, free_credits
from service.billing.models import Account, Entry, Hold
from service.billing.payer import Payer
from service.billing.units import to_credits
from service.database.clock import from_now
from service.database.prepared import Prepared, StatementReply
from service.database.statements import Statements
from service.database.upsert import InsertIfAbsent
from service.extensions import table
from service.ids import new_id
from service.times import now
from service.web.errors import InsufficientCredits

SWEEP_BATCH = 100
ALLOWANCE_SPENT = "This token may not spend so many credits any more. Make another one."

# Built once, because building a statement takes several times as long as running it.
_accounts, _holds = table(Account), table(Hold)
ADD_ACCOUNT, ADD_ENTRY = InsertIfAbsent(_accounts), InsertIfAbsent(table(Entry))
_this_account = _accounts.c.subject == bindparam("account")

FIND_ACCOUNT = Prepared(select(_accounts.c.seq).where(_this_account))
HOLD_MORE = Prepared(
    update(_accounts)
    .where(_this_account, _accounts.c.balance - _accounts.c.held >= bindparam("more"))
    .values(held=_accounts.c.held + bindparam("more"))
    .returning(_accounts.c.seq)
)
ADD_TO_BALANCE = Prepared(
    update(_accounts).where(_this_account).values(balance=_accounts.c.balance + bindparam("more"))
)
_is_open = and_(_holds.c.hold_id == bindparam("hold"), _holds.c.state == "open")
RECORD_USE = Prepared(
    update(_holds)
    .where(_is_open)
    .values(used=bindparam("spent"))
    .returning(_holds.c.account, _holds.c.amount, _holds.c.token_id)
)
SET_AMOUNT = Prepared(update(_holds).where(_is_open).values(amount=bindparam("new_amount")))
INSERT_HOLD = Prepared(
    insert(_holds).inline().values(expires_at=from_now(bindparam("seconds", type_=Double)))
)


class HoldLost(Exception):
    """A sweeper has ended the hold. Its owner has to reserve credits again."""


def ensure_account(session: Statements, subject: str, starting: int) -> None:
    """Create the account of `subject` if there is none, and grant it `starting` micro-credits.

    Parallel calls create one account. A subject that was erased before gets no starting credits.
    """
    if FIND_ACCOUNT.row(session.connection(), {"account": subject}):
        return
    account = {"subject": subject, "balance": 0, "held": 0, "created_at": now()}
    is_new = ADD_ACCOUNT.execute(session.connection(), account)
    if is_new and starting and erased_at(session, subject) is None:
        grant(session, subject, starting, "starting", "starting credits")


def grant(
    session: Statements,
    subject: str,
    amount: int,
    ref: str,
    what: str = "granted",
    facts: dict[str, Any] | None = None,
) -> bool:
    """Add `amount` to an existing account, once for each `ref`. Returns False for a repetition."""
    assert amount > 0
    entry = entry_values(subject, "grant", amount, ref, what, facts or {})
    if not ADD_ENTRY.execute(session.connection(), entry):
        return False
    ADD_TO_BALANCE.send(session.connection(), {"account": subject, "more": amount})
    return True


def reserve(
    session: Statements,
    payer: Payer,
    amount: int,
    ref: str,
    lease_id: str | None,
    seconds: float,
    starting: int | None = None,
) -> str:
    """Hold `amount` of the payer's account and return the id of the hold.

    The hold expires after `seconds`, or with the lease of its worker. `ref` identifies the payment:
    it is unique among the holds and among the charges of an account. With `starting`, a payer
    without an account gets one as by `ensure_account`. Raises `InsufficientCredits`.
    """
    if not _hold_more(session, payer.subject, amount):
        if starting is not None:  # a parallel first call may have created the account
            ensure_account(session, payer.subject, starting)
        if starting is None or not _hold_more(session, payer.subject, amount):
            raise _insufficient(session, payer, amount)
    if refusal := budgets.refusal(session, payer, amount):
        _hold_more(session, payer.subject, -amount)
        raise refusal
    hold_id = new_id("hold")
    hold: dict[str, Any] = {"hold_id": hold_id, "account": payer.subject, "amount": amount}
    hold |= {"ref": ref, "token_id": _spend_allowance(session, payer, amount)}
    hold |= {"lease_id": lease_id, "seconds": seconds, "created_at": now()}
    INSERT_HOLD.send(session.connection(), hold)
    return hold_id


def extend(
    session: Statements, hold_id: str, used: int, amount: int, budget: int | None = None
) -> bool:
    """Record what an open hold has used so far, and change its amount to `amount`.

    Returns False if the account, its budget or the allowance can't afford that. Raises `HoldLost`
    if the hold is not open.
    """
    hold = RECORD_USE.row(session.connection(), {"hold": hold_id, "spent": used})
    if hold is None:
        raise HoldLost()
    more = amount - hold.amount
    if not _hold_more(session, hold.account, more):
        return False
    is_over = budget is not None and budgets.today(session, hold.account).is_over(budget)
    if is_over or not allowances.spend(session, hold.token_id, more):
        _hold_more(session, hold.account, -more)
        return False
    SET_AMOUNT.send(session.connection(), {"hold": hold_id, "new_amount": amount})
    return True


def send_close(session: Statements, hold_id: str, cost: int) -> StatementReply:
    """Begin to settle an open hold; pass the reply to `settle` in the same transaction."""
    return closing.send_close(session, hold_id, "open", "settled" if cost else "released")


def settle(
    session: Statements,
    hold_id: str,
    cost: int,
    what: str,
    facts: dict[str, Any],
    closed: StatementReply | None = None,
) -> int:
    """Charge the real `cost` of a hold, free the rest, and return the charge.

    A cost above the hold is charged up to the account's free balance; the remainder is a loss. A
    cost of 0 adds no entry. The second and later calls for a hold do nothing and return 0. A swept
    hold is charged only what the sweeper did not charge, in an entry of the kind "rest" if there
    is a charge already; the sum of the two is returned.
    """
    closed = closed or send_close(session, hold_id, cost)
    if hold := closed.row:
        return charge(session, hold, cost, what, facts)
    if hold := closing.close(session, hold_id, "swept", "settled"):
        return charge_late(session, hold, cost, what, facts)
    return 0


def withdraw(session: Statements, account: str, ref: str) -> None:
    """Release the hold of `ref`, if there is one, for a caller that does not have its id."""
    hold_id = session.scalar(select(Hold.hold_id).where(Hold.account == account, Hold.ref == ref))
    if hold_id:
        settle(session, hold_id, 0, "", {})


def sweep(session: Session, moment: ColumnElement[datetime], alive: Select[str]) -> int:
    """End a batch of holds that expired before `moment` and charge what they have used.

    `alive` selects the ids of running leases; holds under any other lease have expired as well.
    Returns the size of the batch: call again, in another transaction, until it is 0. Several
    workers may sweep at once.
    """
    lease_is_over = Hold.lease_id.is_not(None) & Hold.lease_id.not_in(alive)
    is_over = (Hold.expires_at < moment) | lease_is_over
    columns = select(Hold.account, Hold.hold_id, Hold.token_id)
    expired = columns.where(Hold.state == "open", is_over)
    batch = expired.order_by(Hold.seq).limit(SWEEP_BATCH).with_for_update(skip_locked=True)
    # Sorted: two sweepers that lock accounts in different orders would deadlock.
    rows = sorted((row.account, row.hold_id, row.token_id) for row in session.execute(batch))
    _lock_payers(session, rows)
    for _, hold_id, _ in rows:
        hold = closing.close(session, hold_id, "open", "swept")
        assert hold is not None, "the batch locks its holds"
        charge(session, hold, hold.used, "interrupted", {"swept": True})
    return len(rows)


def _lock_payers(session: Session, rows: list[tuple[str, str, str | None]]) -> None:
    """Lock the accounts of several holds, then their allowances. Without allowances it locks
    nothing: `charge` then locks the accounts one by one, in the order of the rows."""
    if tokens := {token for _, _, token in rows if token}:
        for account in sorted({account for account, _, _ in rows}):
            free_credits(session, account)
        allowances.lock(session, tokens)


def _hold_more(session: Statements, subject: str, amount: int) -> bool:
    """Hold `amount` more, or less if it is negative. Returns whether the account can afford it."""
    more = {"account": subject, "more": amount}
    return HOLD_MORE.row(session.connection(), more) is not None


def _spend_allowance(session: Statements, payer: Payer, amount: int) -> str | None:
    """Spend `amount` of a token's limit; returns the token's id, or None without a limit.

    Raises `InsufficientCredits`, after freeing the hold: the caller may try a smaller amount.
    """
    limit = payer.limit
    if limit is None:
        return None
    allowances.begin(session, limit)
    if not allowances.spend(session, limit.token_id, amount):
        _hold_more(session, payer.subject, -amount)
        left = to_credits(allowances.remaining(session, limit.token_id))
        raise InsufficientCredits(to_credits(amount), left, ALLOWANCE_SPENT)
    return limit.token_id


def _insufficient(session: Statements, payer: Payer, amount: int) -> InsufficientCredits:
    available = None if payer.is_owner else to_credits(free_credits(session, payer.subject))
    return InsufficientCredits(to_credits(amount), available)
