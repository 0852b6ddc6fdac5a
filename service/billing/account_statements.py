"""Statements of accounts for people: the balance, the holds and the newest entries."""

from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from service.billing.models import Account, Entry


@dataclass(frozen=True)
class Statement:
    """An account's state in micro-credits.

    `entries` are newest first; `more` says whether there are older ones.
    """

    balance: int
    held: int
    entries: list[Entry]
    more: bool


def statement_of(
    session: Session, subject: str, limit: int, before: int | None
) -> Statement | None:
    """Return an account's state and its newest entries with a `seq` below `before`.

    Returns None if there is no account.
    """
    find = select(Account.balance, Account.held).where(Account.subject == subject)
    account = session.execute(find).one_or_none()
    if account is None:
        return None
    own = select(Entry).where(Entry.account == subject).order_by(Entry.seq.desc())
    page = own if before is None else own.where(Entry.seq < before)
    entries = list(session.scalars(page.limit(limit + 1)))
    return Statement(account.balance, account.held, entries[:limit], more=len(entries) > limit)
