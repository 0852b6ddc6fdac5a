"""The table of operators' actions."""

from datetime import datetime
from typing import Any

from sqlalchemy import String
from sqlalchemy.orm import Mapped, mapped_column

from service.column_types import BigId
from service.extensions import Model
from service.times import now


class AdminAction(Model):
    """One write of an operator.

    `admin` is the subject of the admin, or null if a command has made the write. `subject` is the
    user that it concerned. An erasure replaces both by a pseudonym.
    """

    __tablename__ = "admin_actions"

    seq: Mapped[int] = mapped_column(BigId, primary_key=True)
    admin: Mapped[str | None] = mapped_column(String(255))
    action: Mapped[str] = mapped_column(String(16))  # role, disable, enable, grant, stop, erase
    subject: Mapped[str] = mapped_column(String(255))
    facts: Mapped[dict[str, Any]]
    created_at: Mapped[datetime] = mapped_column(default=now)
