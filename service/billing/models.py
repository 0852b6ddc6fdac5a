"""The tables of the ledger. Every amount is an integer number of micro-credits.

The balance of an account is the sum of its entries, and `held` is the sum of its open holds.
"""

from datetime import datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    ColumnElement,
    Double,
    ForeignKey,
    Index,
    String,
    UniqueConstraint,
    cast,
)
from sqlalchemy.orm import Mapped, mapped_column

from service.billing.units import CREDIT
from service.column_types import BigId
from service.extensions import Model
from service.times import now

REF_LIMIT = 128
REFUND_REF, REFUND_WHAT = "refund:", "refund "  # how both columns of a refund begin
CHARGED_ON = "chargedOn"  # the fact of a refund with the day of its charge


def credits_in_sql(micro: Any) -> ColumnElement[Any]:
    """A column of micro-credits as an expression of credits; NULL stays NULL."""
    return cast(micro, Double) / float(CREDIT)


def _account() -> Mapped[str]:
    """The subject of the account. Renaming an account also renames it in entries and holds."""
    return mapped_column(ForeignKey("accounts.subject", onupdate="CASCADE"))


class Account(Model):
    """The account of a subject, who need not be a user. It stays when its user is erased."""

    __tablename__ = "accounts"
    __table_args__ = (
        CheckConstraint("balance >= 0", name="balance_not_negative"),
        CheckConstraint("held >= 0", name="held_not_negative"),
        CheckConstraint("held <= balance", name="held_within_balance"),
    )

    seq: Mapped[int] = mapped_column(BigId, primary_key=True)
    subject: Mapped[str] = mapped_column(String(255), unique=True)
    balance: Mapped[int] = mapped_column(BigInteger)
    held: Mapped[int] = mapped_column(BigInteger)
    created_at: Mapped[datetime] = mapped_column(default=now)


class Entry(Model):
    """An entry of an account, which is never changed: a refund is another entry.

    Only an erasure removes the notes on grants. `what` is a model, an endpoint or a reason. An
    entry of the kind `rest` is the part of a charge that was settled after a sweeper had ended the
    hold.
    """

    __tablename__ = "entries"
    __table_args__ = (
        UniqueConstraint("account", "kind", "ref"),
        Index(None, "account", "seq"),
        Index(None, "account", "created_at"),
    )

    seq: Mapped[int] = mapped_column(BigId, primary_key=True)
    entry_id: Mapped[str] = mapped_column(String(64), unique=True)
    account: Mapped[str] = _account()
    kind: Mapped[str] = mapped_column(String(16))  # grant, charge, rest
    amount: Mapped[int] = mapped_column(BigInteger)  # a charge is negative
    ref: Mapped[str] = mapped_column(String(REF_LIMIT))
    what: Mapped[str] = mapped_column(String(128))
    facts: Mapped[dict[str, Any]]
    created_at: Mapped[datetime] = mapped_column(default=now)


class Hold(Model):
    """Credits reserved for one turn or call (`ref`) while it runs. `used` is its cost so far.

    `token_id` is the token of the allowance that pays too, if there is one.
    """

    __tablename__ = "holds"
    __table_args__ = (
        UniqueConstraint("account", "ref"),
        Index(None, "state", "expires_at"),
        CheckConstraint("amount >= 0", name="amount_not_negative"),
        CheckConstraint("used >= 0", name="used_not_negative"),
    )

    seq: Mapped[int] = mapped_column(BigId, primary_key=True)
    hold_id: Mapped[str] = mapped_column(String(64), unique=True)
    account: Mapped[str] = _account()
    amount: Mapped[int] = mapped_column(BigInteger)
    used: Mapped[int] = mapped_column(BigInteger, default=0)
    state: Mapped[str] = mapped_column(String(16), default="open")  # settled, released, swept
    ref: Mapped[str] = mapped_column(String(REF_LIMIT))
    lease_id: Mapped[str | None] = mapped_column(String(64))
    token_id: Mapped[str | None] = mapped_column(String(64))
    expires_at: Mapped[datetime]
    created_at: Mapped[datetime] = mapped_column(default=now)


class Allowance(Model):
    """What a limited token of a user may spend in all.

    `amount` is the limit, and `spent` is the part of it that is charged or held. `expires_at` is
    the expiry of the token.
    """

    __tablename__ = "allowances"
    __table_args__ = (
        CheckConstraint("spent >= 0", name="spent_not_negative"),
        CheckConstraint("spent <= amount", name="spent_within_amount"),
    )

    token_id: Mapped[str] = mapped_column(String(64), primary_key=True)
    user_id: Mapped[str] = mapped_column(String(255), index=True)
    amount: Mapped[int] = mapped_column(BigInteger)
    spent: Mapped[int] = mapped_column(BigInteger)
    expires_at: Mapped[datetime] = mapped_column(index=True)
