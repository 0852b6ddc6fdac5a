"""Allowances: what a limited token may spend in all, besides the limit of the paying account.

A row begins with a token's first hold, so tokens that spend nothing have no row. `spent` is the sum
of the token's open holds and its charges, less refunds. Every function and every caller locks the
account before the allowance.
Source: docs/contract.md, section 17.3.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import bindparam, delete, select, update
from sqlalchemy.orm import Session

from service.auth.users import Caller
from service.billing.models import Allowance
from service.database.clock import from_now
from service.database.statements import Statements
from service.database.upsert import insert_into
from service.extensions import table

# Seconds for which a row outlives its token: longer than any hold, and than any error of a clock.
KEPT_SECONDS = 24 * 3600.0

_allowances = table(Allowance)
_this_token = _allowances.c.token_id == bindparam("token")
_left = _allowances.c.amount - _allowances.c.spent

SPEND = (
    update(_allowances)
    .where(_this_token, _left >= bindparam("more"), _allowances.c.spent + bindparam("more") >= 0)
    .values(spent=_allowances.c.spent + bindparam("more"))
    .returning(_allowances.c.token_id)
)
LEFT = select(_left).where(_this_token).with_for_update()


@dataclass(frozen=True)
class TokenLimit:
    """A limited token's limit: `amount` is in micro-credits, `expires` in Unix time."""

    token_id: str
    user_id: str
    amount: int
    expires: float


def limit_of(caller: Caller) -> TokenLimit | None:
    """Return the limit of the token that a caller has sent; None if the token has none."""
    permit = caller.permit
    if permit is None or permit.credits is None:
        return None
    return TokenLimit(permit.token_id, caller.subject, permit.credits, permit.expires)


def begin(session: Statements, limit: TokenLimit) -> None:
    """Insert the row of a limit, if there is none."""
    values = {
        "token_id": limit.token_id,
        "user_id": limit.user_id,
        "amount": limit.amount,
        "spent": 0,
        "expires_at": datetime.fromtimestamp(limit.expires, UTC),
    }
    session.execute(insert_into(session, _allowances).values(**values).on_conflict_do_nothing())


def spend(session: Statements, token_id: str | None, more: int) -> bool:
    """Spend `more`, or less if it is negative. Returns whether the allowance suffices.

    Without a token there is no limit. Without a row nothing more may be spent: the user has been
    erased, or the token has expired long ago.
    """
    if token_id is None:
        return True
    change = {"token": token_id, "more": more}
    return session.connection().scalar(SPEND, change) is not None or more <= 0


def remaining(session: Statements, token_id: str) -> int:
    """Return the remaining micro-credits of the allowance. Locks it until the commit."""
    return session.connection().scalar(LEFT, {"token": token_id}) or 0


def lock(session: Statements, token_ids: Iterable[str]) -> None:
    """Lock allowances in one order, for a transaction that changes several."""
    named = select(_allowances.c.token_id).where(_allowances.c.token_id.in_(sorted(token_ids)))
    session.execute(named.order_by(_allowances.c.token_id).with_for_update())


def sweep(session: Session) -> None:
    session.execute(delete(_allowances).where(_allowances.c.expires_at < from_now(-KEPT_SECONDS)))
