"""Remove the stored messages that a turn replaces, in the transaction that stores its rows.

Source: docs/contract.md, sections 5.15 and 5.20.
"""

from flask import Flask
from sqlalchemy import bindparam, delete, select

from service.chat import indexed_words
from service.chat.collections import AI_MESSAGES
from service.chat.history import recall
from service.chat.models import Message
from service.chat.question import Question
from service.database.statements import Statements
from service.extensions import table
from service.records import outbox

REMOVED_AT_ONCE = 500  # messages in one statement: databases limit its parameters

_messages = table(Message)
FIND = select(_messages.c.seq).where(
    _messages.c.user_id == bindparam("owner"), _messages.c.record_id == bindparam("message")
)


def is_gone(session: Statements, question: Question) -> bool:
    """Return whether the first message that this turn replaces has been removed since."""
    if not question.replaces:
        return False
    first = {"owner": question.caller.subject, "message": question.replaces[0]}
    return session.connection().scalar(FIND, first) is None


def prepare(app: Flask, question: Question) -> None:
    """Remove the replaced messages from the search index, if they are large.

    Inside the transaction, this would block the worker for seconds. If the rows are not stored, a
    sweep restores the index.
    """
    if not question.replaces:
        return
    last = FIND.params(owner=question.caller.subject, message=question.replaces[-1])
    of_chat = _messages.c.chat_id == question.chat_id
    replaced = _messages.c.seq.between(question.history_end, last.scalar_subquery())
    with app.app_context():
        indexed_words.take_out_of(of_chat & replaced)


def remove(session: Statements, question: Question) -> list[outbox.Row]:
    """Delete the messages that the turn replaces; returns their changes.

    Messages that other turns have stored since its admission stay, because its user had not seen
    them.
    """
    ids, owner = question.replaces, question.caller.subject
    if not ids:
        return []
    first = session.connection().scalar(FIND, {"owner": owner, "message": ids[0]})
    if first is not None:
        recall.forget(session, question.chat_id, covering=first)
    old = (Message.user_id == owner, Message.chat_id == question.chat_id)
    removed: set[str] = set()  # some may have been deleted since the turn's admission
    for start in range(0, len(ids), REMOVED_AT_ONCE):
        batch = Message.record_id.in_(ids[start : start + REMOVED_AT_ONCE])
        removing = delete(Message).where(*old, batch).returning(Message.record_id)
        removed.update(session.scalars(removing))
    outbox.erase_text(session, AI_MESSAGES, owner, ids)
    gone = [id for id in ids if id in removed]
    return [outbox.change(AI_MESSAGES, owner, {"recordId": id}, None) for id in gone]
