"""Revert what the tools of a turn have changed in records.

A record is reverted if it has not been changed since the turn, and if the journal has its earlier
state. All of it is one transaction, and is done once for a turn.
Source: docs/contract.md, section 15.2.
"""

from collections.abc import Iterator
from typing import Any

from sqlalchemy import ColumnElement, exists, insert, select, true, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from service.auth import user_locks
from service.auth.users import Caller, current_role
from service.chat import journal, message_lock
from service.chat.claims import AlreadyRunning
from service.chat.models import Chat, Claim, JournalEntry, Turn, Undo
from service.chat.undo.changes import (
    CHANGED,
    FORGOTTEN,
    NetChange,
    Refused,
    change_of,
    data,
    entries_by_record,
    of_turns,
)
from service.chat.undo.rights import may_take_back
from service.database.access import write_transaction
from service.database.locks import lock_name
from service.limits.rates import count
from service.records import outbox, reverting, writes
from service.records.collection import Collection, Collections
from service.records.envelope import full_envelope
from service.times import now
from service.web.errors import Conflict, NotFound, ServiceError

DELETED = "The record has been deleted since."
FORBIDDEN = "You may not do this with the record."

ReportItem = dict[str, str]  # a collection, a record's id, and the reason if it is not undone

# Rows that show that a turn exists: while it runs, when it is stored, and its writes.
TRACES: tuple[tuple[type[Claim | Turn | JournalEntry], ColumnElement[bool]], ...] = (
    (Claim, true()),
    (Turn, true()),
    (JournalEntry, journal.is_change),  # the entry of a read is never shown
)


class StillRunning(AlreadyRunning):
    message = "This turn is still running."


class TriedAgain(AlreadyRunning):
    message = "Another turn is answering this turn's message, and relies on its changes."


class UndoneAlready(Conflict):
    message = "The changes of this turn have been taken back already."


def undo(caller: Caller, turn_id: str, collections: Collections) -> dict[str, list[ReportItem]]:
    """Revert the changes of one of the caller's turns.

    Returns `undone` and `conflicts`; each conflict has a `reason`. In `RATE_LIMITS` it counts as
    one change of records. Raises `NotFound`, `StillRunning`, `TriedAgain`, `UndoneAlready`,
    `RateLimited`.
    """
    count("records", caller.subject)
    undone: list[ReportItem] = []
    with write_transaction() as session:
        message_lock.lock_of_turn(session, caller.subject, turn_id)
        _begin(session, caller.subject, turn_id)
        changes, conflicts = _sort_changes(session, caller, turn_id, collections)
        _lock(session, caller, changes)
        role = current_role(caller, session.connection())
        for change in changes:
            try:
                _take_back(session, change, caller, role)
            except Refused as refusal:
                conflicts.append(_conflict(change.entries[0], refusal))
            else:
                undone.append(_list(change.entries[0]))
        _note(session, turn_id, collections.get("ai-turns"))
    return {"undone": undone, "conflicts": conflicts}


def _begin(session: Session, subject: str, turn_id: str) -> None:
    """Mark the turn as undone. A second request at the same time waits here for the first."""
    traces = (
        exists().where(model.turn_id == turn_id, model.user_id == subject, which)
        for model, which in TRACES
    )
    is_running, *has_traces = session.execute(select(*traces)).one()
    if is_running:
        raise StillRunning()
    if not any(has_traces):
        raise NotFound()
    if session.scalar(select(_is_tried_again(subject, turn_id))):
        raise TriedAgain()
    try:
        with session.begin_nested():
            mark = {"turn_id": turn_id, "user_id": subject, "created_at": now()}
            session.execute(insert(Undo).values(**mark))
    except IntegrityError:
        raise UndoneAlready() from None


def _is_tried_again(subject: str, turn_id: str) -> ColumnElement[bool]:
    """Match a turn that left no rows, while another turn answers its message.

    That turn has read the writes of this one, and does not make them again.
    """
    return exists().where(
        JournalEntry.turn_id == turn_id,
        JournalEntry.user_id == subject,
        JournalEntry.user_message_id == Claim.user_message_id,
        JournalEntry.chat_id == Claim.chat_id,
        Claim.user_id == subject,
        ~exists().where(Turn.turn_id == turn_id),
    )


def _note(session: Session, turn_id: str, turns: Collection) -> None:
    """Note in the turn's record that it is undone. A turn that failed has no record."""
    turn = session.scalar(select(Turn).where(Turn.turn_id == turn_id))
    if turn is None:
        return
    before = full_envelope(turns, turn)
    turn.undone_at = now()
    session.flush()
    change = outbox.change(turns, turn.user_id, before, full_envelope(turns, turn))
    outbox.append(session.connection(), [change])


def _sort_changes(
    session: Session, caller: Caller, turn_id: str, collections: Collections
) -> tuple[list[NetChange], list[ReportItem]]:
    """Return the changes, the oldest record first, and the conflicts that the journal shows."""
    changes, conflicts = [], []
    for entries in entries_by_record(session, caller, turn_id):
        try:
            changes.append(change_of(entries, collections))
        except Refused as refusal:
            conflicts.append(_conflict(entries[0], refusal))
    changes.sort(key=lambda change: change.some_state["createdAt"])
    return changes, conflicts


def _lock(session: Session, caller: Caller, changes: list[NetChange]) -> None:
    """Lock chats, users and then the rest, in the order of an erasure.

    The turn's chat is locked too, because its deletion changes the same entries of the journal.
    """
    connection = session.connection()
    names = {reverting.group_key(c.collection, c.some_state) for c in changes}
    names |= {entry.chat_id for change in changes for entry in change.entries}
    for name in sorted(names):
        lock_name(connection, name)
    chats = select(Chat.seq).where(Chat.record_id.in_(set(_chats(changes)))).order_by(Chat.seq)
    session.execute(chats.with_for_update())
    user_locks.lock(session, caller.subject)
    for owner in sorted({change.owner for change in changes}):
        user_locks.lock_row(session, owner)


def _chats(changes: list[NetChange]) -> Iterator[str]:
    """Yield the chats that are changed, and the chats whose messages are changed."""
    for change in changes:
        match change.collection.name:
            case journal.CHATS:
                yield change.record_id
            case journal.MESSAGES:
                yield change.some_state["data"]["chatId"]


def _take_back(session: Session, change: NetChange, caller: Caller, role: str) -> None:
    """Revert one change.

    Raises `Refused` if the caller has not the right now, or the record was changed since the turn.
    """
    if not may_take_back(change, caller, role):
        raise Refused(FORBIDDEN)
    row = reverting.lock_row(session, change.collection, change.record_id, change.owner)
    if row is None and change.after:
        raise Refused(DELETED)
    if change.before and row is None and not user_locks.lock_row(session, change.owner):
        raise Refused(FORGOTTEN)  # the owner was erased since the journal was read
    name = change.collection.name
    stored = full_envelope(change.collection, row) if row else None
    if data(name, stored) != data(name, change.after):
        raise Refused(CHANGED)
    try:
        with session.begin_nested():
            _write(session, change, row)
    except ServiceError as error:
        raise Refused(error.message) from None
    except IntegrityError:  # its id or unique value now belongs to another record
        raise Refused(CHANGED) from None


def _write(session: Session, change: NetChange, row: Any) -> None:
    if change.before and row:
        kept = of_turns(change.collection.name)
        reverting.revert(session, change.collection, row, change.before, kept)
    elif change.before:
        reverting.restore(session, change.collection, change.before)
    elif row:
        writes.remove(session, change.collection, row)
    # A later try of the same message must not find these writes.
    numbers = [entry.seq for entry in change.entries]
    settled = update(JournalEntry).where(JournalEntry.seq.in_(numbers))
    session.execute(settled.values(user_message_id=None))


def _list(entry: JournalEntry) -> ReportItem:
    return {"collection": entry.collection, "recordId": entry.record_id}


def _conflict(entry: JournalEntry, refusal: Refused) -> ReportItem:
    return {**_list(entry), "reason": str(refusal)}
