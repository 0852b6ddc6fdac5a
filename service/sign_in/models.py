"""The table of the console's sessions."""

from datetime import datetime

from sqlalchemy import String, Text
from sqlalchemy.orm import Mapped, mapped_column

from service.column_types import BigId
from service.extensions import Model
from service.times import now


class ConsoleSession(Model):
    """A person who has signed in at the identity provider, in one browser.

    The browser's cookie has the id, of which only a hash is stored. `bearer` is the token that the
    page uses, valid until `expires_at`. All tokens are sealed. A refresh works as a grant's: under
    a lease and without an open transaction, and `version` prevents it from overwriting newer
    tokens. The session ends at `ends_at` at the latest. All times are by the database's clock.
    """

    __tablename__ = "console_sessions"

    seq: Mapped[int] = mapped_column(BigId, primary_key=True)
    id_hash: Mapped[str] = mapped_column(String(64), unique=True)
    user_id: Mapped[str] = mapped_column(String(255), index=True)
    bearer: Mapped[str] = mapped_column(Text)
    refresh_token: Mapped[str | None] = mapped_column(Text)
    id_token: Mapped[str | None] = mapped_column(Text)
    expires_at: Mapped[datetime]
    version: Mapped[int] = mapped_column(default=1)
    lease_id: Mapped[str | None] = mapped_column(String(64))
    lease_until: Mapped[datetime | None]
    failed_at: Mapped[datetime | None]  # the last refresh that failed
    ends_at: Mapped[datetime] = mapped_column(index=True)
    created_at: Mapped[datetime] = mapped_column(default=now)
    updated_at: Mapped[datetime] = mapped_column(default=now)
