"""Delete kept answers: the expired ones, and the oldest ones above the limits.

Source: docs/contract.md, section 10.17.
"""

from sqlalchemy import Select, delete, func, or_, select

from service.database.access import write_transaction
from service.database.clock import current_time
from service.extensions import db, table
from service.integrations.models import KeptAnswer

MOST_ANSWERS = 10_000
MOST_BYTES = 200 << 20  # of all of them
BATCH = 500  # rows of one transaction

_answers = table(KeptAnswer)


def sweep() -> None:
    """Delete expired answers, then the oldest ones above the limits. Needs an app context."""
    expired = select(_answers.c.key).where(_answers.c.expires_at <= current_time())
    _delete(expired)
    trim()


def trim() -> None:
    """Delete the oldest answers above `MOST_ANSWERS` or above `MOST_BYTES`."""
    sums = select(func.count(), func.coalesce(func.sum(_answers.c.size), 0))
    answers, size = db.session.execute(sums.select_from(_answers)).one()
    db.session.commit()
    if answers > MOST_ANSWERS or size > MOST_BYTES:
        _delete(_surplus())


def _surplus() -> Select[str]:
    newest_first = (_answers.c.stored_at.desc(), _answers.c.key)
    place = func.row_number().over(order_by=newest_first).label("place")
    total = func.sum(_answers.c.size).over(order_by=newest_first).label("total")
    ranked = select(_answers.c.key, place, total).subquery()
    is_surplus = or_(ranked.c.place > MOST_ANSWERS, ranked.c.total > MOST_BYTES)
    return select(ranked.c.key).where(is_surplus)


def _delete(chosen: Select[str]) -> None:
    """Delete the chosen rows in batches, except those that another worker is deleting."""
    is_full = True
    while is_full:
        with write_transaction() as session:
            keys = session.scalars(chosen.limit(BATCH)).all()
            batch = select(_answers.c.key).where(_answers.c.key.in_(keys))
            mine = session.scalars(batch.with_for_update(skip_locked=True)).all()
            session.execute(delete(_answers).where(_answers.c.key.in_(mine)))
        is_full = len(mine) == BATCH
