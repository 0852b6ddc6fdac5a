"""Claim a message and hold credits for it, in one transaction.

Source: docs/contract.md, section 5.1.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace

import gevent
from flask import Flask
from sqlalchemy import bindparam, exists, select
from sqlalchemy.exc import SQLAlchemyError

from service.auth import user_locks
from service.chat import claims, message_lock
from service.chat.models import Chat, JournalEntry, Message
from service.chat.question import Question
from service.chat.turn import reuse
from service.chat.turn.claim_watch import CLAIM_WATCH
from service.chat.turn.hold import hold_for
from service.chat.turn.lease_watch import LEASE_WATCH
from service.chat.worker_lease import WORKER_LEASE
from service.database.prepared import Prepared
from service.database.statements import Statements
from service.extensions import table
from service.generation.completion import require_configured
from service.web.errors import NotFound, ServiceError

_chats, _messages, _journal = table(Chat), table(Message), table(JournalEntry)
FIND_CHAT = select(_chats.c.seq).where(
    _chats.c.record_id == bindparam("chat"), _chats.c.user_id == bindparam("owner")
)
_of_message = (
    _journal.c.user_id == bindparam("owner"),
    _journal.c.user_message_id == bindparam("message"),
)
_is_stored = exists().where(
    _messages.c.user_id == bindparam("owner"), _messages.c.record_id == bindparam("message")
)
READ_CHAT = Prepared(
    FIND_CHAT.add_columns(
        _chats.c.history_tokens,
        _is_stored.label("is_stored"),
        exists().where(_messages.c.chat_id == _chats.c.record_id).label("has_messages"),
        exists().where(*_of_message).label("has_earlier"),
    )
)


class BeingUndone(claims.AlreadyRunning):
    message = "The changes of an earlier try of this message are being taken back."


class StoredBefore(Exception):
    """The message is stored already. `admission` decides whether it may be answered again."""


def run_claim(
    app: Flask,
    question: Question,
    transaction: AbstractContextManager[Statements],
    claim: Callable[[Flask, Statements, Question], Question],
) -> Question:
    """Return the question with its claim and its hold.

    From here on the claim watch expects its run. If it is unknown whether the transaction was
    committed, the claim watch removes claim and hold.
    """
    claim_watch, lease = CLAIM_WATCH.of(app), WORKER_LEASE.of(app)
    claim_watch.expect(question.turn_id)
    try:
        lease.renew_if_due()
        with transaction as session:
            return claim(app, session, question)
    except StoredBefore:  # rolled back
        claim_watch.expect_no_more(question.turn_id)
        raise
    except ServiceError:  # rolled back
        claim_watch.expect_no_more(question.turn_id)
        claim_watch.wake()  # it finds a claim that is left without a run
        raise
    except (SQLAlchemyError, gevent.Timeout):
        claim_watch.take_back(question.turn_id, question.caller.subject)
        raise


def claim_new(app: Flask, session: Statements, question: Question) -> Question:
    """Claim and hold for a message if it is new. Raises `StoredBefore` if it is not.

    The claim comes first, so that a message that another worker has just stored is found.
    Raises `Unauthorized` for a user who was just disabled or erased.
    """
    lease_id, subject = WORKER_LEASE.of(app).id, question.caller.subject
    keys = {"chat": question.chat_id, "owner": subject, "message": question.user_message_id}
    locked = user_locks.send_lock(session, subject)  # otherwise an erased account could come back
    reply = claims.send_claim(session, question, lease_id)
    chat_reply = READ_CHAT.send(session.connection(), keys)
    user_locks.standing(subject, locked)
    is_claimed = claims.is_ours(reply)
    if not is_claimed:
        is_claimed = _take_over(app, session, question)
        chat_reply = READ_CHAT.send(session.connection(), keys)
    chat = chat_reply.row
    if chat is None:
        raise NotFound()
    if chat.is_stored:
        raise StoredBefore()
    require_configured(question.model)
    if not is_claimed:
        raise claims.AlreadyRunning()
    if chat.has_earlier:
        _check_undo(session, question)
    question = replace(question, has_history=chat.has_messages, has_earlier=chat.has_earlier)
    return hold_for(app, session, question, question.caller, chat.history_tokens or 0)


def claim_again(app: Flask, session: Statements, question: Question) -> Question:
    """Claim and hold for a message that replaces stored ones."""
    user_locks.lock(session, question.caller.subject)
    reply = claims.send_claim(session, question, WORKER_LEASE.of(app).id)
    if not claims.is_ours(reply) and not _take_over(app, session, question):
        raise claims.AlreadyRunning()
    _check_undo(session, question)
    _check_again(question)
    return hold_for(app, session, question, forwarded=question.caller)


def _take_over(app: Flask, session: Statements, question: Question) -> bool:
    """Claim the message if the blocking claim belongs to a lost worker."""
    lease_id, silent = WORKER_LEASE.of(app).id, LEASE_WATCH.of(app).silent
    return claims.take_over(session, question, lease_id, silent)


def _check_undo(session: Statements, question: Question) -> None:
    """Raise `BeingUndone` during an undo of an earlier try; an undo waits until this is over."""
    if not message_lock.try_lock(session, question):
        raise BeingUndone()


def _check_again(question: Question) -> None:
    """Check the stored messages again after the claim.

    Raises `AlreadyRunning` if another worker has stored this message, or has changed the messages
    that it replaces, between the first look and the claim.
    """
    stored = reuse.find_message(question.caller, question.user_message_id)
    replaces = question.replaces[0] if question.replaces else None
    found = reuse.find_replaced(
        question.caller, question.chat_id, question.user_message_id, replaces, stored
    )
    if found.record_ids != question.replaces:
        raise claims.AlreadyRunning()
