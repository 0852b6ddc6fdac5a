"""Reads and writes of the console's sessions in the database. All need an app context."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import delete, insert, select, update
from sqlalchemy.orm import Session

from service.database import refresh_leases
from service.database.access import write_transaction
from service.database.clock import current_time
from service.extensions import db, table
from service.sealing.hashing import hash_secret
from service.sign_in.models import ConsoleSession

_rows = table(ConsoleSession)


def add(session: Session, values: Mapping[str, Any]) -> None:
    session.execute(insert(_rows).values(**values))


def remove(session: Session, session_id: str) -> Any:
    """Delete a session's row and return it with its newest tokens; None if there is none."""
    is_its = _rows.c.id_hash == hash_secret(session_id)
    return session.execute(delete(_rows).where(is_its).returning(_rows)).one_or_none()


def remove_unchanged(row: ConsoleSession) -> bool:
    """Delete the row, unless its tokens have been written since; returns whether it is deleted."""
    unchanged = delete(_rows).where(*refresh_leases.is_unchanged(row))
    with write_transaction() as session:
        return session.execute(unchanged.returning(_rows.c.seq)).first() is not None


def expire(row: ConsoleSession) -> None:
    """Let the token count as expired, unless the tokens have been written since."""
    expired = update(_rows).where(*refresh_leases.is_unchanged(row))
    with write_transaction() as session:
        session.execute(expired.values(expires_at=current_time()))


def is_continued(row: ConsoleSession) -> bool:
    """Return whether this session still exists, or its person has begun another one since."""
    since = (_rows.c.user_id == row.user_id, _rows.c.created_at >= row.created_at)
    found = db.session.scalar(select(_rows.c.seq).where(*since).limit(1))
    db.session.commit()
    return found is not None


def sweep(session: Session) -> None:
    session.execute(delete(_rows).where(_rows.c.ends_at < current_time()))
