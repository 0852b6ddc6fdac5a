"""The tables of users and of erased subjects."""

from datetime import datetime

from sqlalchemy import String
from sqlalchemy.orm import Mapped, mapped_column

from service.column_types import BigId
from service.extensions import Model
from service.times import now

ROLE_LIMIT = 64


class User(Model):
    """A subject that has made an authenticated request."""

    __tablename__ = "users"

    seq: Mapped[int] = mapped_column(BigId, primary_key=True)
    subject: Mapped[str] = mapped_column(String(255), unique=True)
    role: Mapped[str | None] = mapped_column(String(ROLE_LIMIT))  # overrides the token's claim
    email: Mapped[str | None] = mapped_column(String(320))
    name: Mapped[str | None] = mapped_column(String(200))
    disabled: Mapped[bool] = mapped_column(default=False)
    created_at: Mapped[datetime] = mapped_column(default=now)
    updated_at: Mapped[datetime] = mapped_column(default=now)


class ErasedSubject(Model):
    """An erased subject, stored only as a hash. The row stays if the person comes back."""

    __tablename__ = "erasures"

    subject_hash: Mapped[str] = mapped_column(String(64), primary_key=True)
    erased_at: Mapped[datetime]
