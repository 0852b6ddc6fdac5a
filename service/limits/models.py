"""The table of counted requests, for limits that are kept in the service's own database."""

from datetime import datetime

from sqlalchemy import String
from sqlalchemy.orm import Mapped, mapped_column

from service.extensions import Model


class RateCount(Model):
    """How often a key was counted in the window that ends at `ends_at`, by the database's clock.

    The key contains the limit, its kind and a hash of the user's id.
    """

    __tablename__ = "rate_counts"

    key: Mapped[str] = mapped_column(String(400), primary_key=True)
    count: Mapped[int]
    ends_at: Mapped[datetime] = mapped_column(index=True)
