"""The audit of operators' writes: a row in the write's own transaction, and a line in the log.

Source: docs/contract.md, section 18.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import structlog
from sqlalchemy import select, update
from sqlalchemy.orm import Session

from service.database.access import write_transaction
from service.extensions import db
from service.upkeep.models import AdminAction

log = structlog.get_logger("admin")


@dataclass
class Acting:
    """A write transaction of an operator; `by` is the admin's subject, or None for a command."""

    session: Session
    by: str | None
    rows: list[AdminAction] = field(default_factory=list)

    def record(self, action: str, subject: str, facts: Mapping[str, Any]) -> None:
        row = AdminAction(admin=self.by, action=action, subject=subject, facts=dict(facts))
        self.session.add(row)
        self.rows.append(row)


@contextmanager
def acting(by: str | None) -> Iterator[Acting]:
    """Begin a write transaction whose recorded actions are logged after the commit.

    The actions of a command are not logged: it prints them on the terminal.
    """
    with write_transaction() as session:
        current = Acting(session, by)
        yield current
    for row in current.rows if by else ():
        facts = {**row.facts, "action": row.action, "subject": row.subject}
        facts.pop("note", None)  # a note about a person is not logged
        log.info("admin acted", admin=row.admin, **facts)


def page(limit: int, before: int | None) -> list[AdminAction]:
    """Return the newest actions with a `seq` below `before`."""
    newest = select(AdminAction).order_by(AdminAction.seq.desc())
    chosen = newest if before is None else newest.where(AdminAction.seq < before)
    return list(db.session.scalars(chosen.limit(limit)))


def anonymise(session: Session, subject: str, pseudonym: str) -> None:
    """Replace an erased subject, and delete the texts about it."""
    about = update(AdminAction).where(AdminAction.subject == subject)
    session.execute(about.values(subject=pseudonym, facts={}))
    made = update(AdminAction).where(AdminAction.admin == subject)
    session.execute(made.values(admin=pseudonym))
