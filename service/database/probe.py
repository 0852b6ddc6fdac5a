"""The row that the readiness check writes, to see whether the database accepts a write."""

from datetime import datetime

from sqlalchemy import select, update
from sqlalchemy.orm import Mapped, mapped_column

from service.database.access import write_transaction
from service.database.clock import current_time
from service.extensions import Model


class Probe(Model):
    __tablename__ = "probes"

    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    written_at: Mapped[datetime | None]


def write() -> None:
    """Write the row, unless another worker has locked it, which may hang."""
    unlocked = select(Probe.id).with_for_update(skip_locked=True)
    with write_transaction() as session:
        for number in session.scalars(unlocked).all():
            session.execute(update(Probe).filter_by(id=number).values(written_at=current_time()))
