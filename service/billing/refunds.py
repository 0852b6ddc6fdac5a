"""Refunds: entries that give back a part of the charge for a job."""

from datetime import date

from sqlalchemy.orm import Session

from service.billing import allowances, ledger
from service.billing.models import CHARGED_ON, REFUND_REF, REFUND_WHAT


def refund(
    session: Session,
    account: str,
    amount: int,
    job_id: str,
    endpoint: str,
    token_id: str | None,
    day: date,
) -> None:
    """Refund a part of the charge for a job, once; also to the allowance of the token.

    `day` is the day of the charge, in UTC.
    """
    ref, what = f"{REFUND_REF}{job_id}", f"{REFUND_WHAT}{endpoint}"
    if ledger.grant(session, account, amount, ref, what, {CHARGED_ON: day.isoformat()}):
        allowances.spend(session, token_id, -amount)
