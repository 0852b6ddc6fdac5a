"""The table of calls of endpoints."""

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, ColumnElement, Index, String
from sqlalchemy.ext.hybrid import hybrid_property
from sqlalchemy.orm import Mapped, mapped_column

from service.billing.models import credits_in_sql
from service.billing.units import to_credits
from service.column_types import BigId
from service.extensions import Model
from service.times import now


class IntegrationCall(Model):
    """A call of an endpoint, with its outcome and without any of its content.

    `payer` is `user` or `developer`, as in the catalog: another user's subject is not shown.
    `credits` are the micro-credits charged, less a refund; None where another instance charges.
    """

    __tablename__ = "integration_calls"
    __table_args__ = (Index(None, "user_id", "seq"),)

    seq: Mapped[int] = mapped_column(BigId, primary_key=True)
    call_id: Mapped[str] = mapped_column(String(64), unique=True)
    user_id: Mapped[str] = mapped_column(String(255))
    endpoint: Mapped[str] = mapped_column(String(64))
    integration: Mapped[str] = mapped_column(String(64))
    payer: Mapped[str] = mapped_column(String(16))
    door: Mapped[str] = mapped_column(String(16))  # http, chat, mcp, widget
    approval: Mapped[str | None] = mapped_column(String(16))
    status: Mapped[str] = mapped_column(String(16))
    error: Mapped[str | None] = mapped_column(String(64))  # the error's code
    upstream_status: Mapped[int | None]
    credits: Mapped[int | None] = mapped_column(BigInteger)
    ms: Mapped[int]
    job_id: Mapped[str | None] = mapped_column(String(64), index=True)
    created_at: Mapped[datetime] = mapped_column(default=now, index=True)
    updated_at: Mapped[datetime] = mapped_column(default=now)

    @hybrid_property
    def charged(self) -> float | None:
        """The charge in credits."""
        return None if self.credits is None else to_credits(self.credits)

    @charged.inplace.expression
    @classmethod
    def _charged_in_sql(cls) -> ColumnElement[Any]:
        return credits_in_sql(cls.credits)
