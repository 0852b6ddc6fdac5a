"""The journal's entries about calls outside the app, which have no record.

An entry is stored before the first request of its call is sent. So a call that is cut off is in
the journal too. The entry of a read is not a change and is never shown. It lets the next try of a
message find an answer that is paid for. Source: docs/contract.md, sections 5.13, 5.16 and 14.1.
"""

from typing import Any

from sqlalchemy import delete, exists, insert, select, update
from sqlalchemy.orm import Session

from service.chat.models import JournalEntry
from service.extensions import table

CALLS = "integrations"  # in the column `collection`
LEFT, CALLED = "left", "called"  # outcomes: result unknown; the call was made
# Outcomes of reads: sent to another instance, which may have charged for it; answered.
READING, READ = READS = "reading", "read"

_journal = table(JournalEntry)


class CallEntry:
    """The entry about one call. It is written in the transactions of the call itself."""

    def __init__(
        self,
        *,
        turn_id: str,
        chat_id: str,
        user_id: str,
        tool: str,
        endpoint: str,
        user_message_id: str | None,
        fingerprint: str,
        call_id: str,
        earlier: int | None = None,
    ) -> None:
        """`call_id` is the call's `Idempotency-Key`.

        `earlier` is the number of an entry that an earlier try has written about the same call and
        key. Then there is no second entry. The turn that answers takes over all entries of earlier
        tries.
        """
        self._earlier = earlier
        self._seq: int | None = None  # set before the call's first request
        self.may_have_happened = False  # true from `leave` on, unless it was withdrawn
        self.was_made = False  # its end was written, so a later error is its answer
        self._facts = {
            "turn_id": turn_id,
            "chat_id": chat_id,
            "user_id": user_id,
            "tool": tool,
            "collection": CALLS,
            "record_id": endpoint,
            "owner": user_id,
            "user_message_id": user_message_id,
            "input_hash": fingerprint,
            "call_id": call_id,
        }

    def leave(self, session: Session) -> None:
        """Store that the call's first request is about to be sent."""
        self._seq = self._insert(session, LEFT) if self._earlier is None else self._earlier
        self.may_have_happened = True

    def end(self, session: Session) -> None:
        """Store that the call was made.

        It may be called twice, if it is unknown whether the first transaction was committed.
        """
        if self._seq is not None:
            session.execute(self._change(outcome=CALLED))
        else:  # it needed no request
            self._insert_once(session, CALLED)
        self.was_made = True

    def withdraw(self, session: Session) -> None:
        """Delete the entry, because the call has changed nothing.

        An entry of an earlier try stays, because it is unknown what that try's request has changed.
        """
        self.may_have_happened = False
        if self._seq is not None and self._earlier is None:
            session.execute(delete(_journal).where(_journal.c.seq == self._seq, *self._mine()))

    def _insert_once(self, session: Session, outcome: str) -> None:
        """Insert an entry if there is none.

        It is looked for only at a second call, because the query reads all entries of the user.
        """
        if not (self.was_made and session.scalar(select(exists().where(*self._mine())))):
            self._insert(session, outcome)

    def _insert(self, session: Session, outcome: str) -> int:
        entry = insert(_journal).values(**self._facts, outcome=outcome)
        seq: int = session.execute(entry.returning(_journal.c.seq)).scalar_one()
        return seq

    def _change(self, **values: Any) -> Any:
        return update(_journal).where(_journal.c.seq == self._seq, *self._mine()).values(**values)

    def _mine(self) -> tuple[Any, ...]:
        """Match this call's entry.

        The number alone is not enough: SQLite gives the numbers of a rolled-back transaction again.
        """
        facts = self._facts
        return (
            _journal.c.user_id == facts["user_id"],
            _journal.c.call_id == facts["call_id"],
        )


class ReadEntry(CallEntry):
    """The entry about a call that only reads: it is written when the answer is stored.

    A read that is cut off changes nothing and is not charged here.
    """

    def leave(self, session: Session) -> None:
        pass

    def end(self, session: Session) -> None:
        self._insert_once(session, READ)
        self.was_made = True


class ReadElsewhereEntry(ReadEntry):
    """The entry about a read by another instance: it is written before the read is sent.

    The other instance charges for the read even if its answer does not arrive here.
    """

    def leave(self, session: Session) -> None:
        self._seq = self._insert(session, READING) if self._earlier is None else self._earlier

    def end(self, session: Session) -> None:
        session.execute(self._change(outcome=READ))
