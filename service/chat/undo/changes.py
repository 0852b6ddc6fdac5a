"""The changes of a turn, record by record, read from the journal."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from service.auth.users import Caller
from service.chat import external_calls, journal
from service.chat.models import JournalEntry
from service.records import reverting
from service.records.collection import Collection, Collections
from service.records.envelope import Envelope

CALLED = "A call outside the app can't be taken back."
UNKNOWN = "The app has no such collection any more."
OWNED_OTHERWISE = "The app names the record's owner in another column now."
FORGOTTEN = "The record's earlier state is no longer stored."
CHANGED = "The record has been changed since."

# Columns that turns set without a tool, by collection: other collections may have the same name.
OF_TURNS: dict[str, tuple[str, ...]] = {journal.CHATS: ("activeAt",)}

RecordEntries = list[JournalEntry]  # of one record, in their order


class Refused(Exception):
    """A change that can't be reverted; the text says why."""


@dataclass(frozen=True)
class NetChange:
    """The whole change of one record by a turn.

    `before` is the record before the turn's first write, and `after` the record after its last
    write. They are None if there was no record.
    """

    collection: Collection
    before: Envelope | None
    after: Envelope | None
    entries: RecordEntries

    @property
    def some_state(self) -> Envelope:
        """The record at some time, for the values that never change.

        These are its id, owner, chat and `createdAt`.
        """
        state = self.after or self.before or self.entries[0].after
        assert state
        return state

    @property
    def record_id(self) -> str:
        return str(self.some_state["recordId"])

    @property
    def owner(self) -> str:
        return reverting.owner_of(self.collection, self.some_state)


def entries_by_record(session: Session, caller: Caller, turn_id: str) -> list[RecordEntries]:
    """Return the caller's entries of a turn, in the order of each record's first entry."""
    mine = (JournalEntry.turn_id == turn_id, JournalEntry.user_id == caller.subject)
    of_turn = (*mine, journal.is_change)
    by_record: dict[tuple[str, str, str | None], RecordEntries] = {}
    for entry in session.scalars(select(JournalEntry).where(*of_turn).order_by(JournalEntry.seq)):
        by_record.setdefault((entry.collection, entry.record_id, entry.owner), []).append(entry)
    return list(by_record.values())


def change_of(entries: RecordEntries, collections: Collections) -> NetChange:
    """Return the whole change. Raises `Refused` if the entries do not suffice to revert it."""
    first, last = entries[0], entries[-1]
    if first.collection == external_calls.CALLS:
        raise Refused(CALLED)
    collection = collections.find(first.collection)
    if collection is None:
        raise Refused(UNKNOWN)
    if any(_is_forgotten(entry) for entry in entries):
        raise Refused(FORGOTTEN)
    name = first.collection
    if any(data(name, a.after) != data(name, b.before) for a, b in pairwise(entries)):
        raise Refused(CHANGED)  # by somebody else, between two writes of the turn
    change = NetChange(collection, first.before, last.after, entries)
    if collection.owner not in ("recordId", *change.some_state["data"]):
        raise Refused(OWNED_OTHERWISE)
    return change


def _is_forgotten(entry: JournalEntry) -> bool:
    lacks_before = entry.outcome != "added" and not entry.before
    return lacks_before or (entry.outcome != "removed" and not entry.after)


def of_turns(collection: str) -> tuple[str, ...]:
    """Return the columns of a collection that turns set without a tool."""
    return OF_TURNS.get(collection, ())


def data(collection: str, envelope: Envelope | None) -> Any:
    """Return a record's data without the columns that turns set without a tool."""
    if envelope is None:
        return None
    left_out = of_turns(collection)
    return {name: value for name, value in envelope["data"].items() if name not in left_out}
