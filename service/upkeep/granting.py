"""Grants of credits by an operator, with a command or as an admin."""

from decimal import Decimal, InvalidOperation

from sqlalchemy import select
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

from service.auth import user_locks
from service.billing import ledger
from service.billing.charges import free_credits
from service.billing.models import Account, Entry
from service.billing.units import CREDIT, to_credits
from service.records.idempotency import OtherData
from service.upkeep.actions import acting
from service.web.errors import NotFound

MAX_GRANT = 1_000_000_000  # credits
AMOUNT_RULE = f"must be more than 0, at most {MAX_GRANT}, with at most six decimals"


def micro_credits(credits: object) -> int:
    """Convert credits to micro-credits. Raises ValueError if the amount can't be granted."""
    try:
        amount = Decimal(str(credits))
    except InvalidOperation:
        raise ValueError(AMOUNT_RULE) from None
    # Compared first, because a product would be rounded, and can be too large.
    is_valid = amount.is_finite() and 0 < amount <= MAX_GRANT and amount == round(amount, 6)
    if not is_valid:
        raise ValueError(AMOUNT_RULE)
    return int(amount * CREDIT)


def grant(subject: str, amount: int, ref: str, starting: int, *, opens: bool = False) -> bool:
    """Add `amount` to the account of a subject, once for each `ref`.

    Amounts are in micro-credits. A new account first gets `starting`. With `opens` the subject need
    not be known. Without it, a subject with neither a user's row nor an account raises `NotFound`.
    Returns False for a repetition.
    """
    with acting(None) as act:
        is_user = _lock(act.session, subject)
        if not (opens or is_user or _has_account(act.session, subject)):
            raise NotFound()
        ledger.ensure_account(act.session, subject, starting)
        is_new = ledger.grant(act.session, subject, amount, ref)
        if is_new:
            act.record("grant", subject, {"credits": to_credits(amount)})
    return is_new


def grant_by_admin(by: str, subject: str, amount: int, ref: str, starting: int, note: str) -> bool:
    """Add `amount` to the account of a user once for each `ref`, as an admin with a reason.

    `by` is the admin and `note` the reason. Amounts are in micro-credits. A new account first gets
    `starting`. Returns False for a repetition. Raises `NotFound` if there is no such user, and
    `Conflict` if `ref` belongs to a different grant.

    After a lost connection the grant is tried once more. The first try may have been committed, and
    the repetition of a request without a key has another `ref`.
    """
    try:
        return _grant_by_admin(by, subject, amount, ref, starting, note)
    except DBAPIError as error:
        if not error.connection_invalidated:
            raise
        return _grant_by_admin(by, subject, amount, ref, starting, note)


def _grant_by_admin(by: str, subject: str, amount: int, ref: str, starting: int, note: str) -> bool:
    with acting(by) as act:
        if not _lock(act.session, subject):
            raise NotFound()
        ledger.ensure_account(act.session, subject, starting)
        is_new = ledger.grant(act.session, subject, amount, ref, facts={"note": note})
        if is_new:
            act.record("grant", subject, {"credits": to_credits(amount), "note": note})
        else:
            _check_repetition(act.session, subject, amount, ref, note)
    return is_new


def _lock(session: Session, subject: str) -> bool:
    """Lock the user's row and the account; returns whether there is a user.

    Otherwise an erasure could rename the account in between.
    """
    is_user = user_locks.lock_row(session, subject)
    free_credits(session, subject)
    return is_user


def _has_account(session: Session, subject: str) -> bool:
    return session.scalar(select(Account.seq).filter_by(subject=subject)) is not None


def _check_repetition(session: Session, subject: str, amount: int, ref: str, note: str) -> None:
    same = {"account": subject, "kind": "grant", "ref": ref}
    earlier = session.scalars(select(Entry).filter_by(**same)).one()
    if (earlier.amount, earlier.facts.get("note")) != (amount, note):
        raise OtherData()
