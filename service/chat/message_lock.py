"""Locks on messages, so that a message is not claimed while changes of an earlier try are undone.

The next try of a message gives its model the results of earlier changes. It would find changes that
an undo reverts at the same moment.
"""

from sqlalchemy import select
from sqlalchemy.orm import Session

from service.chat.models import JournalEntry
from service.chat.question import Question
from service.database.locks import lock_name, try_lock_name
from service.database.statements import Statements


def lock_of_turn(session: Session, subject: str, turn_id: str) -> None:
    """Lock the message of a turn that left no rows, until this write transaction ends.

    Call it before any other lock. A turn that left rows has no such message in the journal.
    """
    of_turn = (JournalEntry.turn_id == turn_id, JournalEntry.user_id == subject)
    messages = select(JournalEntry.user_message_id).where(*of_turn).distinct()
    for message_id in sorted(one for one in session.scalars(messages) if one is not None):
        lock_name(session.connection(), _name(subject, message_id))


def try_lock(session: Statements, question: Question) -> bool:
    """Lock the message of a question as above, without waiting; returns whether it was free.

    It does not wait, because the caller has locked its user and its chat.
    """
    name = _name(question.caller.subject, question.user_message_id)
    return try_lock_name(session.connection(), name)


def _name(subject: str, message_id: str) -> str:
    return f"message {subject} {message_id}"
