"""What the assistant changed: a row for each of its writes, in the write's own transaction.

A turn that dies still shows what it did, and an updated or deleted record can be looked up as it
was. Source: contract sections 5 and 7.
"""

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from service.auth.users import Caller, current_role
from service.chat.models import JournalEntry
from service.extensions import db, timestamp
from service.records.collection import Collections
from service.records.envelope import seen_by
from service.records.writes import Note, Written

KEPT = timedelta(days=30)
SWEPT_AT_ONCE = 1000


def note(turn_id: str, chat_id: str, user_id: str, tool: str) -> Note:
    """What a record tool passes along with its write."""

    def write(session: Session, written: Written) -> None:
        entry = JournalEntry(
            turn_id=turn_id,
            chat_id=chat_id,
            user_id=user_id,
            tool=tool,
            collection=written.collection.name,
            record_id=written.record_id,
            outcome=written.action,
            before=written.before,
        )
        session.add(entry)

    return write


def page(
    caller: Caller, collections: Collections, limit: int, before: int | None
) -> tuple[list[dict[str, Any]], int | None]:
    """A user's entries, newest first, and the `seq` to go on before, if there are more."""
    role = current_role(caller)
    own = select(JournalEntry).where(JournalEntry.user_id == caller.subject)
    older = own if before is None else own.where(JournalEntry.seq < before)
    rows = list(db.session.scalars(older.order_by(JournalEntry.seq.desc()).limit(limit + 1)))
    db.session.commit()
    more = rows[limit - 1].seq if len(rows) > limit else None
    return [_shown(row, collections, role) for row in rows[:limit]], more


def _shown(row: JournalEntry, collections: Collections, role: str) -> dict[str, Any]:
    known = {collection.name: collection for collection in collections}.get(row.collection)
    before = seen_by(known, row.before, role) if known and row.before else None
    return {
        "turnId": row.turn_id,
        "tool": row.tool,
        "collection": row.collection,
        "recordId": row.record_id,
        "outcome": row.outcome,
        "before": before,
        "createdAt": timestamp(row.created_at),
    }


def forget(session: Session, chat_id: str) -> None:
    """The entries of a deleted chat keep what was done, not the text."""
    session.execute(update(JournalEntry).where(JournalEntry.chat_id == chat_id).values(before=None))


def sweep(session: Session, moment: datetime) -> int:
    """Delete a batch of what has been kept long enough; how many, 0 is the end."""
    old = select(JournalEntry.seq).where(JournalEntry.created_at < moment - KEPT)
    found = list(session.scalars(old.limit(SWEPT_AT_ONCE)))
    session.execute(delete(JournalEntry).where(JournalEntry.seq.in_(found)))
    return len(found)
