"""The ledger: accounts, their entries, and holds on what they have.

Amounts are integer micro-credits. Each function takes the session of an open
`write_transaction()`, so that a caller charges in the same transaction as it writes its rows.
Locks are taken hold first, then account; `reserve` touches the account alone before its new hold.

A hold is open until its owner settles or releases it, or a sweeper that takes its owner for dead
sweeps it. If the owner of a swept hold lives after all, the hold is settled late, and charged the
part that the sweeper has not charged.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Double, Select, and_, bindparam, insert, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from service.auth.erasure import erased_at
from service.billing.charges import Closed, charge, charge_late, entry_of, free_credits
from service.billing.models import Account, Entry, Hold
from service.billing.payer import Payer
from service.billing.prices import credits
from service.clock import from_now
from service.errors import InsufficientCredits
from service.extensions import now, table
from service.ids import new_id

SWEEP_BATCH = 100


@dataclass(frozen=True)
class Statement:
    """Micro-credits; entries newest first, and whether there are older ones."""

    balance: int
    held: int
    entries: list[Entry]
    more: bool


# Built once: to build a statement takes several times as long as to run it.
_accounts, _holds = table(Account), table(Hold)
_this_account = _accounts.c.subject == bindparam("account")
_this_hold = and_(_holds.c.hold_id == bindparam("hold"), _holds.c.state == bindparam("from"))

FIND_ACCOUNT = select(_accounts.c.seq).where(_this_account)
HOLD_MORE = (
    update(_accounts)
    .where(_this_account, _accounts.c.balance - _accounts.c.held >= bindparam("more"))
    .values(held=_accounts.c.held + bindparam("more"))
    .returning(_accounts.c.seq)
)
CLOSE_HOLD = (
    update(_holds)
    .where(_this_hold)
    .values(state=bindparam("closed"))
    .returning(_holds.c.account, _holds.c.amount, _holds.c.used, _holds.c.ref)
)
INSERT_HOLD = insert(_holds).values(expires_at=from_now(bindparam("seconds", type_=Double)))


class HoldLost(Exception):
    """A sweeper has ended the hold; its owner has to reserve anew."""


def ensure_account(session: Session, subject: str, starting: int) -> None:
    """The account of `subject`; a new one is granted `starting`. Parallel calls make one.

    A subject that was erased begins with nothing: it has had its starting credits.
    """
    if session.connection().scalar(FIND_ACCOUNT, {"account": subject}) is not None:
        return
    account = {"subject": subject, "balance": 0, "held": 0, "created_at": now()}
    if not _insert_new(session, Account, account) or not starting:
        return
    if erased_at(session, subject) is None:
        grant(session, subject, starting, "starting", "starting credits")


def grant(session: Session, subject: str, amount: int, ref: str, what: str = "granted") -> bool:
    """Add `amount` to an existing account, once for each `ref`; False when it already was."""
    assert amount > 0
    if not _insert_new(session, Entry, entry_of(subject, "grant", amount, ref, what, {})):
        return False
    owned = update(Account).where(Account.subject == subject)
    session.execute(owned.values(balance=Account.balance + amount))
    return True


def reserve(
    session: Session, payer: Payer, amount: int, ref: str, lease_id: str | None, seconds: float
) -> str:
    """Hold `amount` of the payer's account; the id of the hold, which expires in `seconds`, or
    with the lease of a worker.

    `ref` names what is to be paid for: one hold and at most one charge bear it in an account.
    Raises `InsufficientCredits`.
    """
    if not _hold_more(session, payer.subject, amount):
        raise _refusal(session, payer, amount)
    hold_id = new_id("hold")
    hold = {"hold_id": hold_id, "account": payer.subject, "amount": amount, "ref": ref}
    session.connection().execute(INSERT_HOLD, {**hold, "lease_id": lease_id, "seconds": seconds})
    return hold_id


def extend(session: Session, hold_id: str, used: int, amount: int) -> bool:
    """Note what an open hold has used so far and make it hold `amount` in all.

    False when the account can't afford that. Raises `HoldLost` when the hold is no longer open.
    """
    found = update(Hold).where(Hold.hold_id == hold_id, Hold.state == "open")
    noted = found.values(used=used).returning(Hold.account, Hold.amount)
    hold = session.execute(noted).one_or_none()
    if hold is None:
        raise HoldLost()
    if not _hold_more(session, hold.account, amount - hold.amount):
        return False
    session.execute(found.values(amount=amount))
    return True


def settle(session: Session, hold_id: str, cost: int, what: str, facts: dict[str, Any]) -> int:
    """Charge the real `cost` of a hold and free the rest; returns the charge.

    A cost beyond the hold is charged up to the account's free balance; what goes beyond that is our
    loss. Only the first call for a hold does anything, later ones return 0. A cost of 0 leaves no
    entry. A swept hold is charged only what the sweeper did not charge, in an entry of the kind
    "rest" if there is a charge already; the sum of both is returned.
    """
    if hold := _close(session, hold_id, "open", "settled" if cost else "released"):
        return charge(session, hold, cost, what, facts)
    if hold := _close(session, hold_id, "swept", "settled"):
        return charge_late(session, hold, cost, what, facts)
    return 0


def withdraw(session: Session, account: str, ref: str) -> None:
    """Release the hold of `ref`, if there is one; for callers that never learned its id."""
    held = select(Hold.hold_id).where(Hold.account == account, Hold.ref == ref)
    hold_id = session.scalar(held)
    if hold_id:
        settle(session, hold_id, 0, "", {})


def sweep(session: Session, moment: ColumnElement[datetime], alive: Select[str]) -> int:
    """End holds that expired before `moment`, charging what they used; how many, 0 is the end.

    `alive` selects the ids of the leases that run: holds under any other lease have expired too.
    One batch: whoever sweeps calls again in another transaction. Several may sweep at once.
    """
    lapsed = Hold.lease_id.is_not(None) & Hold.lease_id.not_in(alive)
    over = (Hold.expires_at < moment) | lapsed
    expired = select(Hold.account, Hold.hold_id).where(Hold.state == "open", over)
    batch = expired.order_by(Hold.seq).limit(SWEEP_BATCH).with_for_update(skip_locked=True)
    # In the accounts' order: two sweepers that met them in different orders would deadlock.
    found = sorted(tuple(row) for row in session.execute(batch))
    for _, hold_id in found:
        hold = _close(session, hold_id, "open", "swept")
        assert hold is not None, "locked above"
        charge(session, hold, hold.used, "interrupted", {"swept": True})
    return len(found)


def statement(session: Session, subject: str, limit: int, before: int | None) -> Statement | None:
    """What an account has and its newest entries, those below the `seq` of `before`."""
    account = select(Account.balance, Account.held).where(Account.subject == subject)
    has = session.execute(account).one_or_none()
    if has is None:
        return None
    own = select(Entry).where(Entry.account == subject).order_by(Entry.seq.desc())
    page = own if before is None else own.where(Entry.seq < before)
    entries = list(session.scalars(page.limit(limit + 1)))
    return Statement(has.balance, has.held, entries[:limit], more=len(entries) > limit)


def _hold_more(session: Session, subject: str, amount: int) -> bool:
    """Hold `amount` more (less when negative) if the account can afford it: one statement."""
    more = {"account": subject, "more": amount}
    return session.connection().scalar(HOLD_MORE, more) is not None


def _refusal(session: Session, payer: Payer, amount: int) -> InsufficientCredits:
    available = None if payer.is_owner else credits(free_credits(session, payer.subject))
    return InsufficientCredits(credits(amount), available)


def _close(session: Session, hold_id: str, state: str, closed: str) -> Closed | None:
    """Take a hold out of a state; None for every caller but the first."""
    closing = {"hold": hold_id, "from": state, "closed": closed}
    return session.connection().execute(CLOSE_HOLD, closing).one_or_none()


def _insert_new(session: Session, model: Any, values: dict[str, Any]) -> bool:
    """Insert unless a unique key is taken; waits for a parallel insert of the same key."""
    dialect = session.connection().dialect.name
    insert_into: Any = postgresql.insert if dialect == "postgresql" else sqlite.insert
    new = insert_into(model).values(**values).on_conflict_do_nothing().returning(model.seq)
    return session.scalar(new) is not None
