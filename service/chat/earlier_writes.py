"""Writes of earlier tries to answer a message: of turns that ended without rows.

If a turn is killed or fails, the writes of its tools stay. In the next try of the same message, the
prompt lists them. A call with the same tool and input does not repeat its writes: for each write it
returns the earlier result, once for each earlier write. The turn that answers the message takes
over all these writes. Source: docs/contract.md, section 5.16.
"""

import hashlib
import json
from collections.abc import Callable, Iterable
from typing import Any

from sqlalchemy import Connection, and_, bindparam, exists, select, update

from service.auth.users import Caller, current_role
from service.chat import external_calls
from service.chat.models import JournalEntry, Turn
from service.chat.question import Question
from service.database.prepared import Prepared
from service.database.statements import Statements
from service.extensions import table
from service.records import permissions
from service.records.collection import Collections
from service.records.envelope import Envelope, redact

# Built once: every turn runs it, and building a statement takes several times as long.
_journal, _turns = table(JournalEntry), table(Turn)
_of_these = and_(
    _journal.c.user_id == bindparam("subject"),
    _journal.c.user_message_id == bindparam("message"),
    _journal.c.chat_id == bindparam("chat"),
)
_ended = exists().where(_turns.c.turn_id == _journal.c.turn_id)
FIND = Prepared(
    select(_journal)
    .where(_of_these, _journal.c.turn_id != bindparam("turn"), ~_ended)
    .order_by(_journal.c.seq)
)
SETTLE = Prepared(
    update(_journal).where(_of_these).values(user_message_id=None, turn_id=bindparam("answering"))
)

Entry = Any  # a row of the journal

LISTED = 20  # writes that are listed one by one
NOTE = (
    "[An earlier try to answer the next message broke off after these changes:\n{writes}\n"
    "They are stored. Go on from there, and do not make these changes again.{unknown}]"
)
UNKNOWN = (
    " Nobody knows about those that may have happened: look whether they have, or ask the user"
    " before you do anything about them."
)


class EarlierWrites:
    """The writes of earlier tries in their order, and the paid reads outside the app."""

    def __init__(self, entries: Iterable[Entry] = ()) -> None:
        self._entries = list(entries)
        self._changes = [one for one in self._entries if one.outcome not in external_calls.READS]
        known = [entry for entry in self._entries if entry.input_hash]
        self._left = [e for e in known if not e.call_id and (e.after or is_removal(e))]
        self._calls = [entry for entry in known if entry.call_id]  # outside the app

    def __bool__(self) -> bool:
        return bool(self._entries)

    @property
    def note(self) -> str:
        """A text for the model that lists the writes; empty if there are none."""
        if not self._changes:
            return ""
        lines = [_line(entry) for entry in self._changes]
        more = [f"- and {len(lines) - LISTED} more"] if len(lines) > LISTED else []
        unknown = (
            UNKNOWN if any(entry.outcome == external_calls.LEFT for entry in self._changes) else ""
        )
        return NOTE.format(writes="\n".join(lines[:LISTED] + more), unknown=unknown)

    def take(
        self,
        fingerprint: str | None,
        collection: str,
        action: str,
        is_same: Callable[[Entry], bool],
    ) -> Entry | None:
        """Remove and return the first matching write, or None.

        It matches if it was made by a call with this fingerprint, has the same action on a record
        of the collection, and `is_same` accepts it.
        """
        for entry in self._left:
            made = (entry.input_hash, entry.collection, entry.outcome)
            if made == (fingerprint, collection, action) and is_same(entry):
                self._left.remove(entry)
                return entry
        return None

    def calls(self, fingerprint: str) -> list[Entry]:
        """Return the remaining calls outside the app with this fingerprint, in their order."""
        return [entry for entry in self._calls if entry.input_hash == fingerprint]

    def drop_call(self, entry: Entry) -> None:
        """Remove a call that was repeated. The next equal call is then a new one."""
        self._calls = [one for one in self._calls if one.seq != entry.seq]


def _line(entry: Entry) -> str:
    outcome = "may have happened" if entry.outcome == external_calls.LEFT else entry.outcome
    return f"- {entry.tool}: {entry.collection} {entry.record_id} {outcome}"


def fingerprint_of(tool: str, tool_input: Any) -> str:
    """Return a hash of a call, which is equal for the same tool and the same input."""
    call = json.dumps([tool, tool_input], sort_keys=True, separators=(",", ":"), default=str)
    return hashlib.sha256(call.encode()).hexdigest()


def load(connection: Connection, question: Question) -> EarlierWrites:
    """Load the writes of earlier tries of this message."""
    if not question.is_in_chat:
        return EarlierWrites()
    keys = {**_of_message(question), "turn": question.turn_id}
    return EarlierWrites(FIND.rows(connection, keys))


def settle(session: Statements, question: Question) -> None:
    """Make later turns ignore these writes; called when an answer is stored.

    The writes then belong to the turn that answers, because its answer depends on them. An undo of
    this turn reverts them too.
    """
    keys = {**_of_message(question), "answering": question.turn_id}
    SETTLE.send(session.connection(), keys)


def _of_message(question: Question) -> dict[str, str]:
    return {
        "subject": question.caller.subject,
        "message": question.user_message_id,
        "chat": question.chat_id,
    }


def is_removal(entry: Entry) -> bool:
    outcome: str = entry.outcome
    return outcome == "removed"


def result(entry: Entry, caller: Caller, collections: Collections) -> dict[str, Any]:
    """Return the write's result, without fields that the caller may not see now.

    Raises `ServiceError`.
    """
    collection, role = collections.get(entry.collection), current_role(caller)
    if is_removal(entry):
        return {"deleted": entry.record_id}
    assert entry.after, "not taken without"
    after: Envelope = entry.after
    rule = permissions.rule(collection, role, "read")
    readable = rule is True or (rule and entry.owner == caller.subject)
    if entry.outcome == "added" or readable:
        return redact(collection, after, role)
    return {**after, "data": {}}
