"""Writes of earlier tries to answer a message, tries that ended without rows.

A turn that dies or fails leaves the writes of its tools. The next try of the same message tells the
model of them. A call with the same tool and input as an earlier write gives the earlier result and
writes nothing, once for each earlier write. Source: contract section 5.
"""

import hashlib
import json
from collections.abc import Iterable
from typing import Any

from sqlalchemy import exists, select, update
from sqlalchemy.orm import Session

from service.auth.users import Caller, current_role
from service.chat.models import JournalEntry, Turn
from service.chat.question import Question
from service.extensions import db
from service.records import permissions
from service.records.collection import Collections
from service.records.envelope import Envelope, seen_by

LISTED = 20  # writes that the model is told of one by one
TOLD = (
    "[An earlier try to answer the next message broke off after it had changed these records:\n"
    "{writes}\nThey are stored. Go on from there, and do not make these changes again.]"
)


class EarlierWrites:
    """The writes of earlier tries, in their order."""

    def __init__(self, entries: Iterable[JournalEntry] = ()) -> None:
        self._entries = list(entries)
        self._left = [e for e in self._entries if e.input_hash and (e.after or is_removal(e))]

    def __bool__(self) -> bool:
        return bool(self._entries)

    @property
    def note(self) -> str:
        """The text that tells the model of the writes; empty without any."""
        if not self._entries:
            return ""
        told = [f"- {e.tool}: {e.collection} {e.record_id} {e.outcome}" for e in self._entries]
        more = [f"- and {len(told) - LISTED} more"] if len(told) > LISTED else []
        return TOLD.format(writes="\n".join(told[:LISTED] + more))

    def take(self, asked: str) -> JournalEntry | None:
        """Take the first write left whose call has this fingerprint; None without one."""
        for entry in self._left:
            if entry.input_hash == asked:
                self._left.remove(entry)
                return entry
        return None


def fingerprint(tool: str, given: Any) -> str:
    """A hash of a call, the same for the same tool and the same input."""
    call = json.dumps([tool, given], sort_keys=True, separators=(",", ":"), default=str)
    return hashlib.sha256(call.encode()).hexdigest()


def load(question: Question) -> EarlierWrites:
    """The writes of earlier tries of this message. Needs an app context."""
    if not question.chat_id:
        return EarlierWrites()
    ended = exists().where(Turn.turn_id == JournalEntry.turn_id)
    theirs = select(JournalEntry).where(
        *_of_message(question), JournalEntry.turn_id != question.turn_id, ~ended
    )
    found = list(db.session.scalars(theirs.order_by(JournalEntry.seq)))
    db.session.commit()
    return EarlierWrites(found)


def settle(session: Session, question: Question) -> None:
    """An answer is stored: later turns are not told of these writes."""
    known = update(JournalEntry).where(*_of_message(question)).values(user_message_id=None)
    session.execute(known, execution_options={"synchronize_session": False})


def _of_message(question: Question) -> tuple[Any, ...]:
    return (
        JournalEntry.user_id == question.caller.subject,
        JournalEntry.user_message_id == question.user_message_id,
        JournalEntry.chat_id == question.chat_id,
    )


def is_removal(entry: JournalEntry) -> bool:
    return entry.outcome == "removed"


def result(entry: JournalEntry, caller: Caller, collections: Collections) -> dict[str, Any]:
    """The result that the write gave, as the caller may see it now. Raises `ServiceError`."""
    collection, role = collections.named(entry.collection), current_role(caller)
    if is_removal(entry):
        return {"deleted": entry.record_id}
    assert entry.after, "not taken without"
    after: Envelope = entry.after
    rule = permissions.rule(collection, role, "read")
    readable = rule is True or (rule and entry.owner == caller.subject)
    if entry.outcome == "added" or readable:
        return seen_by(collection, after, role)
    return {**after, "data": {}}
