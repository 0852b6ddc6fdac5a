"""Letting a turn in: the checks in the contract's order, then the claim and the hold.

Source: docs/contract.md, section 5.1.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace

import gevent
from flask import Flask
from sqlalchemy import bindparam, exists, select
from sqlalchemy.exc import SQLAlchemyError

from service.auth import user_locks
from service.auth.users import Caller
from service.billing.budgets import budget_of
from service.chat import claims
from service.chat.models import ID_LIMIT, Chat, JournalEntry, Message
from service.chat.question import Question
from service.chat.turn import reuse
from service.chat.turn.claim_watch import CLAIM_WATCH
from service.chat.turn.hold import hold_for
from service.chat.turn.instructions import system_text, time_text
from service.chat.turn.lease_watch import LEASE_WATCH
from service.chat.worker_lease import WORKER_LEASE
from service.database.access import core_transaction, write_transaction
from service.database.prepared import Prepared
from service.database.statements import Statements
from service.extensions import db, table
from service.generation.completion import MODELS, require_configured
from service.ids import new_id
from service.lifecycle import LIFECYCLE
from service.providers.catalog import DEFAULT_MODEL
from service.providers.provider import Model
from service.times import now
from service.web.errors import Draining, InvalidModel, NotFound, ServiceError


@dataclass(frozen=True)
class Submission:
    """A valid request body, and its sender."""

    caller: Caller
    chat_id: str
    user_message_id: str
    content: str
    model_id: str | None
    trigger: str | None
    replaces: str | None
    request_id: str
    time_zone: str = "UTC"
    token: str = field(default="", repr=False)


def admit(app: Flask, submission: Submission) -> Question | reuse.StoredAnswer:
    """The question to answer, claimed and held for; or the answer that is stored already.

    Raises `ServiceError` for every refusal.
    """
    if LIFECYCLE.of(app).draining:
        raise Draining()
    model = _model(app, submission.model_id)
    if len(submission.chat_id) > ID_LIMIT:  # no chat has it, and the claim has no room for it
        raise NotFound()
    question = _question(app, submission, model)
    if submission.replaces in (None, submission.user_message_id):
        try:
            # Claim and hold tell nobody anything, and are worthless without this process.
            transaction = core_transaction(app, durable=False)
            return _claimed(app, question, transaction, _claim_new)
        except _StoredBefore:
            pass
    return _admit_again(app, submission, question)


def _admit_again(
    app: Flask, submission: Submission, question: Question
) -> Question | reuse.StoredAnswer:
    """A message that is stored already, or that replaces others."""
    asked, answer = _look_for_answer(submission)
    if answer:
        return answer
    ids = (submission.chat_id, submission.user_message_id, submission.replaces)
    replaced = reuse.find_replaced(submission.caller, *ids, asked)
    require_configured(question.model)
    db.session.commit()
    question = replace(
        question,
        replaces=replaced.record_ids,
        history_end=replaced.first,
        answered_by=replaced.answered_by,
    )
    return _claimed(app, question, write_transaction(), _claim)


def find_answer(app: Flask, submission: Submission) -> reuse.StoredAnswer | None:
    """The stored answer that the message would get again. It needs no turn.

    Raises `ServiceError` for what is refused before that is known.
    """
    _model(app, submission.model_id)
    return _look_for_answer(submission).answer


def _look_for_answer(submission: Submission) -> reuse.LookedFor:
    """Raises `NotFound` for the chat, and `AlreadyRunning`."""
    check_chat(submission.caller, submission.chat_id)
    sent = (submission.chat_id, submission.content, submission.trigger)
    return reuse.look_for_answer(submission.caller, submission.user_message_id, *sent)


def _model(app: Flask, model_id: str | None) -> Model:
    """None means the default model. Raises `InvalidModel`."""
    model = MODELS.of(app).get(DEFAULT_MODEL if model_id is None else model_id)
    if model is None:
        raise InvalidModel("There is no such model.", allowed=list(MODELS.of(app)))
    return model


_chats, _messages, _journal = table(Chat), table(Message), table(JournalEntry)
_FIND_CHAT = select(_chats.c.seq).where(
    _chats.c.record_id == bindparam("chat"), _chats.c.user_id == bindparam("owner")
)
_of_message = (
    _journal.c.user_id == bindparam("owner"),
    _journal.c.user_message_id == bindparam("message"),
)
_is_stored = exists().where(
    _messages.c.user_id == bindparam("owner"), _messages.c.record_id == bindparam("message")
)
LOOK = Prepared(
    _FIND_CHAT.add_columns(
        _chats.c.history_tokens,
        _is_stored.label("is_stored"),
        exists().where(_messages.c.chat_id == _chats.c.record_id).label("has_messages"),
        exists().where(*_of_message).label("has_earlier"),
    )
)


def check_chat(caller: Caller, chat_id: str) -> None:
    """Raises `NotFound`, the same for an absent chat and for another user's."""
    if db.session.scalar(_FIND_CHAT, {"chat": chat_id, "owner": caller.subject}) is None:
        raise NotFound()


def _question(app: Flask, submission: Submission, model: Model) -> Question:
    return Question(
        turn_id=new_id("turn"),
        chat_id=submission.chat_id,
        caller=submission.caller,
        user_message_id=submission.user_message_id,
        assistant_message_id=new_id("msg"),
        content=submission.content,
        model=model,
        request_id=submission.request_id,
        hold_id="",
        hold_amount=0,
        budget=budget_of(app.config["SETTINGS"].budgets, submission.caller),
        token=submission.token,
        system=system_text(app, submission.caller),
        aside=time_text(now(), submission.time_zone),
    )


def _claimed(
    app: Flask,
    question: Question,
    transaction: AbstractContextManager[Statements],
    claim: Callable[[Flask, Statements, Question], Question],
) -> Question:
    """The question, with its claim and its hold. The claim watch expects its run from here on.

    If it is unknown whether the transaction was committed, the claim watch removes both.
    """
    claim_watch, lease = CLAIM_WATCH.of(app), WORKER_LEASE.of(app)
    claim_watch.expect(question.turn_id)
    try:
        lease.renew_if_due()
        with transaction as session:
            return claim(app, session, question)
    except _StoredBefore:  # rolled back
        claim_watch.expect_no_more(question.turn_id)
        raise
    except ServiceError:  # rolled back
        claim_watch.expect_no_more(question.turn_id)
        claim_watch.wake()  # it finds a claim that is left without a run
        raise
    except (SQLAlchemyError, gevent.Timeout):
        claim_watch.take_back(question.turn_id, question.caller.subject)
        raise


class _StoredBefore(Exception):
    """The message is stored already: whether it may be answered again is a longer story."""


def _claim_new(app: Flask, session: Statements, question: Question) -> Question:
    """Claim and hold for a new message, if it is one. Raises `_StoredBefore`.

    The claim comes first, so that a message which another worker has stored until then is found.
    Raises `Unauthorized` for a user who was just disabled or erased.
    """
    lease_id, subject = WORKER_LEASE.of(app).id, question.caller.subject
    keys = {"chat": question.chat_id, "owner": subject, "message": question.user_message_id}
    locked = user_locks.ask_to_lock(session, subject)  # or their account would come back
    asked = claims.ask_for(session, question, lease_id)
    looked = LOOK.ask(session.connection(), keys)
    user_locks.standing(subject, locked)
    is_claimed = claims.is_ours(asked)
    if not is_claimed:
        is_claimed = _take_over(app, session, question)
        looked = LOOK.ask(session.connection(), keys)
    chat = looked.row
    if chat is None:
        raise NotFound()
    if chat.is_stored:
        raise _StoredBefore()
    require_configured(question.model)
    if not is_claimed:
        raise claims.AlreadyRunning()
    question = replace(question, has_history=chat.has_messages, has_earlier=chat.has_earlier)
    return hold_for(app, session, question, question.caller, chat.history_tokens or 0)


def _claim(app: Flask, session: Statements, question: Question) -> Question:
    """Claim and hold for a message that replaces stored ones."""
    user_locks.lock(session, question.caller.subject)
    asked = claims.ask_for(session, question, WORKER_LEASE.of(app).id)
    if not claims.is_ours(asked) and not _take_over(app, session, question):
        raise claims.AlreadyRunning()
    _check_again(question)
    return hold_for(app, session, question, forwarded=question.caller)


def _take_over(app: Flask, session: Statements, question: Question) -> bool:
    """Claim the message if the claim in the way is that of a lost worker."""
    lease_id, silent = WORKER_LEASE.of(app).id, LEASE_WATCH.of(app).silent
    return claims.take_over(session, question, lease_id, silent)


def _check_again(question: Question) -> None:
    """Raises `AlreadyRunning` if another worker has stored this message, or changed what it is to
    replace, between our look and our claim."""
    asked = reuse.find_message(question.caller, question.user_message_id)
    replaces = question.replaces[0] if question.replaces else None
    ids = (question.chat_id, question.user_message_id, replaces)
    if reuse.find_replaced(question.caller, *ids, asked).record_ids != question.replaces:
        raise claims.AlreadyRunning()
