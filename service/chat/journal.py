"""What the assistant changed: a row for each of its writes, in the write's own transaction.

A turn that dies still shows what it did, and an updated or deleted record can be looked up as it
was. Source: contract sections 5 and 7.
"""

from datetime import timedelta
from typing import Any

from sqlalchemy import and_, delete, func, or_, select, update
from sqlalchemy.orm import Session, defer

from service.auth.users import Caller, current_role
from service.chat.models import JournalEntry
from service.clock import from_now
from service.extensions import db, timestamp
from service.json_values import measured
from service.records import permissions
from service.records.collection import Collection, Collections
from service.records.envelope import Envelope, seen_by
from service.records.models import Record
from service.records.store import PAGE_BYTES, in_pieces
from service.records.writes import Note, Written

CHATS, MESSAGES = "ai-chats", "ai-messages"  # collections, as they are declared
KEPT = timedelta(days=30)
SWEPT_AT_ONCE = 1000


def note(
    turn_id: str,
    chat_id: str,
    user_id: str,
    tool: str,
    user_message_id: str | None = None,
    asked: str | None = None,
) -> Note:
    """The journal's facts about a write, from the tool that makes it.

    `asked` is the call's fingerprint, if a later try of the same message may get this write's
    result.
    """

    def write(session: Session, written: Written) -> None:
        entry = JournalEntry(
            turn_id=turn_id,
            chat_id=chat_id,
            user_id=user_id,
            tool=tool,
            collection=written.collection.name,
            record_id=written.record_id,
            owner=written.owner,
            outcome=written.action,
            before=None if _forgotten(written) else written.before,
            after=written.after,
            user_message_id=user_message_id,
            input_hash=asked,
        )
        session.add(entry)

    return write


def _forgotten(written: Written) -> bool:
    """A deleted chat leaves no text, whoever deletes it."""
    return written.collection.name == CHATS and written.after is None


def page(
    caller: Caller, collections: Collections, limit: int, before: int | None
) -> tuple[list[dict[str, Any]], int | None]:
    """A user's entries, newest first, and the `seq` to go on before, if there are more.

    But for its first entry, a page has at most `PAGE_BYTES` of JSON.
    """
    role = current_role(caller)
    own = select(JournalEntry).where(JournalEntry.user_id == caller.subject)
    older = own if before is None else own.where(JournalEntry.seq < before)
    newest = older.options(defer(JournalEntry.after)).order_by(JournalEntry.seq.desc())
    entries: list[dict[str, Any]] = []
    last = more = None
    size = 0
    for row in in_pieces(newest.limit(limit + 1), limit):
        entry = _shown(row, collections, role)
        size += measured(entry)
        if entries and (len(entries) == limit or size > PAGE_BYTES):
            more = last
            break
        entries.append(entry)
        last = row.seq
    db.session.commit()
    return entries, more


def _shown(row: JournalEntry, collections: Collections, role: str) -> dict[str, Any]:
    known = {collection.name: collection for collection in collections}.get(row.collection)
    return {
        "turnId": row.turn_id,
        "tool": row.tool,
        "collection": row.collection,
        "recordId": row.record_id,
        "outcome": row.outcome,
        "before": _before(row, known, role) if known else None,
        "createdAt": timestamp(row.created_at),
    }


def _before(row: JournalEntry, collection: Collection, role: str) -> Envelope | None:
    """The record as it was, to whom may read it now."""
    rule = permissions.rule(collection, role, "read")
    readable = rule is True or (rule == "own" and row.owner == row.user_id)
    return seen_by(collection, row.before, role) if readable and row.before else None


def forget(session: Session, chat_id: str, owner: str) -> None:
    """What a deleted chat's turns changed, and what others changed of it: the entries keep what
    was done, not the text."""
    of_chat = and_(JournalEntry.collection == CHATS, JournalEntry.record_id == chat_id)
    of_messages = and_(
        JournalEntry.collection == MESSAGES,
        JournalEntry.before["data"]["chatId"].as_string() == chat_id,
    )
    theirs_or_unknown = or_(JournalEntry.owner == owner, JournalEntry.owner.is_(None))
    of_owner = and_(theirs_or_unknown, or_(of_chat, of_messages))
    theirs = update(JournalEntry).where(or_(JournalEntry.chat_id == chat_id, of_owner))
    session.execute(
        theirs.values(before=None, after=None), execution_options={"synchronize_session": False}
    )


def name_owners(session: Session) -> None:
    """Fill in the owner of entries without one: the owner of the record as it is, or as it was, or
    else the user of the turn.

    A release before migration 0008 writes no owner, and runs on while a newer one is installed.
    """
    found = select(Record.owner).where(
        Record.collection == JournalEntry.collection, Record.record_id == JournalEntry.record_id
    )
    told = JournalEntry.before["data"]["userId"].as_string()
    owner = func.coalesce(found.scalar_subquery(), told, JournalEntry.user_id)
    nameless = update(JournalEntry).where(JournalEntry.owner.is_(None)).values(owner=owner)
    session.execute(nameless, execution_options={"synchronize_session": False})


def sweep(session: Session) -> int:
    """Delete a batch of what has been kept long enough; how many, 0 is the end."""
    old = select(JournalEntry.seq).where(JournalEntry.created_at < from_now(-KEPT.total_seconds()))
    found = list(session.scalars(old.limit(SWEPT_AT_ONCE)))
    session.execute(delete(JournalEntry).where(JournalEntry.seq.in_(found)))
    return len(found)
