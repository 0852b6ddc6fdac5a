"""The journal: a row for each write of the assistant, stored in the write's own transaction.

It also shows the writes of killed turns, and updated or deleted records as they were before.
Source: docs/contract.md, sections 5.13 and 7.14.
"""

from datetime import timedelta
from typing import Any

from sqlalchemy import and_, delete, func, or_, select, update
from sqlalchemy.orm import Session

from service.auth.users import Caller, current_role
from service.chat.external_calls import READS
from service.chat.models import JournalEntry, Undo
from service.database.clock import from_now
from service.extensions import db
from service.limits.page_turns import page_turn
from service.records import permissions
from service.records.collection import Collection, Collections
from service.records.envelope import Envelope, redact
from service.records.models import Record
from service.records.store import PAGE_BYTES, in_pieces
from service.records.writes import Hook, Write
from service.times import timestamp
from service.web.json_values import json_size

CHATS, MESSAGES = "ai-chats", "ai-messages"  # collections, as they are declared
RETENTION = timedelta(days=30)
SWEPT_AT_ONCE = 1000

is_change = JournalEntry.outcome.not_in(READS)


def note(
    turn_id: str,
    chat_id: str,
    user_id: str,
    tool: str,
    user_message_id: str | None,
    fingerprint: str | None,
) -> Hook:
    """Return a hook that writes the journal's row about a write of this tool.

    `fingerprint` is the call's, if a later try of the same message may get this write's result.
    """

    def write(session: Session, written: Write) -> None:
        entry = JournalEntry(
            turn_id=turn_id,
            chat_id=chat_id,
            user_id=user_id,
            tool=tool,
            collection=written.collection.name,
            record_id=written.record_id,
            owner=written.owner,
            outcome=written.action,
            before=None if _is_deleted_chat(written) else written.before,
            after=written.after,
            user_message_id=user_message_id,
            input_hash=fingerprint,
        )
        session.add(entry)

    return write


def _is_deleted_chat(written: Write) -> bool:
    """Return whether a chat was deleted. The journal keeps no text of it, whoever deleted it."""
    return written.collection.name == CHATS and written.after is None


def page(
    caller: Caller,
    collections: Collections,
    limit: int,
    before: int | None,
    turn_id: str | None = None,
) -> tuple[list[dict[str, Any]], int | None]:
    """Return a user's entries, newest first, and the `seq` of the last one if there are more.

    With `turn_id`, only the entries of this turn.

    Except for its first entry, a page has at most `PAGE_BYTES` of JSON. It waits while other pages
    of the same user are read.
    """
    with page_turn(caller.subject):
        return _page(caller, collections, limit, before, turn_id)


def _page(
    caller: Caller, collections: Collections, limit: int, before: int | None, turn_id: str | None
) -> tuple[list[dict[str, Any]], int | None]:
    role = current_role(caller)
    own = select(JournalEntry).where(JournalEntry.user_id == caller.subject, is_change)
    if turn_id is not None:
        own = own.where(JournalEntry.turn_id == turn_id)
    older = own if before is None else own.where(JournalEntry.seq < before)
    newest = older.order_by(JournalEntry.seq.desc())
    entries: list[dict[str, Any]] = []
    last = following = None
    size = 0
    for row in in_pieces(newest.limit(limit + 1), limit):
        entry = _public_entry(row, collections, role)
        size += json_size(entry)
        if entries and (len(entries) == limit or size > PAGE_BYTES):
            following = last
            break
        entries.append(entry)
        last = row.seq
    _mark_undone(entries)
    db.session.commit()
    return entries, following


def _mark_undone(entries: list[dict[str, Any]]) -> None:
    """Set in each entry whether its turn's changes have been reverted."""
    turns = {entry["turnId"] for entry in entries}
    undone = set(db.session.scalars(select(Undo.turn_id).where(Undo.turn_id.in_(turns))))
    for entry in entries:
        entry["undone"] = entry["turnId"] in undone


def _public_entry(row: JournalEntry, collections: Collections, role: str) -> dict[str, Any]:
    collection = collections.find(row.collection)
    readable = collection is not None and _is_readable(row, collection, role)
    before, after = (
        redact(collection, one, role) if collection and readable and one else None
        for one in (row.before, row.after)
    )
    return {
        "turnId": row.turn_id,
        "tool": row.tool,
        "collection": row.collection,
        "recordId": row.record_id,
        "outcome": row.outcome,
        "before": before,
        "changes": _changes(before, after),
        "createdAt": timestamp(row.created_at),
    }


def _changes(before: Envelope | None, after: Envelope | None) -> dict[str, Any] | None:
    """Return the columns that the write has changed, with their new values.

    The value is None for a column that was emptied.
    """
    if after is None:
        return None
    was, became = before["data"] if before else {}, after["data"]
    names = [*became, *(name for name in was if name not in became)]
    return {name: became.get(name) for name in names if was.get(name) != became.get(name)}


def _is_readable(row: JournalEntry, collection: Collection, role: str) -> bool:
    """Return whether the user may read the record now."""
    rule = permissions.rule(collection, role, "read")
    return rule is True or (rule == "own" and row.owner == row.user_id)


def forget(session: Session, chat_id: str, owner: str) -> None:
    """Remove the records from the entries of a deleted chat's turns and from entries about it."""
    of_chat = and_(JournalEntry.collection == CHATS, JournalEntry.record_id == chat_id)
    of_messages = and_(
        JournalEntry.collection == MESSAGES,
        JournalEntry.before["data"]["chatId"].as_string() == chat_id,
    )
    about = or_(of_chat, of_messages)
    # As alternatives of one OR: otherwise SQLite uses no index and reads the whole journal.
    of_owner = and_(JournalEntry.owner == owner, about)
    of_unknown = and_(JournalEntry.owner.is_(None), about)
    which = or_(JournalEntry.chat_id == chat_id, of_owner, of_unknown)
    # Locked in one order: deleting a chat that this one's turns have changed locks some too.
    session.execute(
        select(JournalEntry.seq).where(which).order_by(JournalEntry.seq).with_for_update()
    )
    forgotten = update(JournalEntry).where(which).values(before=None, after=None)
    session.execute(forgotten, execution_options={"synchronize_session": False})


def name_owners(session: Session) -> None:
    """Fill in the missing owners of entries.

    It is the owner of the record now, or before the write, or else the user of the turn. A release
    before migration 0008 writes no owner, and still runs while a newer one is installed.
    """
    current = select(Record.owner).where(
        Record.collection == JournalEntry.collection, Record.record_id == JournalEntry.record_id
    )
    former = JournalEntry.before["data"]["userId"].as_string()
    owner = func.coalesce(current.scalar_subquery(), former, JournalEntry.user_id)
    ownerless = update(JournalEntry).where(JournalEntry.owner.is_(None)).values(owner=owner)
    session.execute(ownerless, execution_options={"synchronize_session": False})


def sweep(session: Session) -> int:
    """Delete a batch of the entries older than `RETENTION`; returns how many, 0 at the end.

    Entries that another transaction has locked are left to the next sweep.
    """
    limit = from_now(-RETENTION.total_seconds())
    old = select(JournalEntry.seq).where(JournalEntry.created_at < limit)
    unlocked = old.limit(SWEPT_AT_ONCE).with_for_update(skip_locked=True)
    batch = list(session.scalars(unlocked))
    session.execute(delete(JournalEntry).where(JournalEntry.seq.in_(batch)))
    return len(batch)
