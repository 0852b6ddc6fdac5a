"""The used states of calls that waited for a consent."""

from datetime import datetime

from sqlalchemy import String
from sqlalchemy.orm import Mapped, mapped_column

from service.extensions import Model


class UsedState(Model):
    """A state that a client has sent back. It can't be used again before it expires."""

    __tablename__ = "used_states"

    call_id: Mapped[str] = mapped_column(String(64), primary_key=True)
    user_id: Mapped[str] = mapped_column(String(255), index=True)
    expires_at: Mapped[datetime] = mapped_column(index=True)
