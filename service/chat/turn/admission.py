"""Letting a turn in: the checks in the contract's order, then the claim and the hold.

Source: docs/contract.md, section 5.1.
"""

from dataclasses import dataclass, field, replace

import gevent
from flask import Flask
from sqlalchemy import bindparam, select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from service.auth import users
from service.auth.users import Caller
from service.billing import ledger, prices
from service.billing.payer import payer_of
from service.chat import claims
from service.chat.models import Chat, Message
from service.chat.question import Question
from service.chat.turn import reuse
from service.chat.turn.claim_watch import ClaimWatch
from service.chat.turn.hold import HOLD_SECONDS
from service.chat.turn.instructions import system_text, time_text
from service.chat.turn.lease_watch import LeaseWatch
from service.database.access import write_transaction
from service.extensions import db, now, table
from service.generation.completion import require_configured
from service.generation.round_trip import RoundTrip
from service.ids import new_id
from service.providers.catalog import DEFAULT_MODEL
from service.providers.prompt import Prompt, UserMessage
from service.providers.provider import Model
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
    if app.extensions["lifecycle"].draining:
        raise Draining()
    model = _model(app, submission.model_id)
    check_chat(submission.caller, submission.chat_id)
    asked = reuse.find_message(submission.caller, submission.user_message_id)
    sent = (submission.chat_id, submission.content, submission.trigger)
    if stored := reuse.stored_answer(asked, *sent):
        return stored
    question = _question(app, submission, model, asked)
    require_configured(model)
    db.session.commit()
    return _claimed(app, question)


def _model(app: Flask, model_id: str | None) -> Model:
    """None means the default model. Raises `InvalidModel`."""
    models: dict[str, Model] = app.extensions["models"]
    model = models.get(DEFAULT_MODEL if model_id is None else model_id)
    if model is None:
        raise InvalidModel("There is no such model.", allowed=list(models))
    return model


_FIND_CHAT = select(table(Chat).c.seq).where(
    table(Chat).c.record_id == bindparam("chat"), table(Chat).c.user_id == bindparam("owner")
)


def check_chat(caller: Caller, chat_id: str) -> None:
    """Raises `NotFound`, the same for an absent chat and for another user's."""
    if db.session.scalar(_FIND_CHAT, {"chat": chat_id, "owner": caller.subject}) is None:
        raise NotFound()


def _question(app: Flask, submission: Submission, model: Model, asked: Message | None) -> Question:
    ids = (submission.chat_id, submission.user_message_id, submission.replaces)
    replaced = reuse.find_replaced(submission.caller, *ids, asked)
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
        replaces=replaced.record_ids,
        history_end=replaced.first,
        answered_by=replaced.answered_by,
        token=submission.token,
        system=system_text(app, submission.caller),
        aside=time_text(now(), submission.time_zone),
    )


def _claimed(app: Flask, question: Question) -> Question:
    """The question, with its claim and its hold. The claim watch expects its run from here on.

    If it is unknown whether the transaction was committed, the claim watch removes both.
    """
    claim_watch: ClaimWatch = app.extensions["claim_watch"]
    claim_watch.expect(question.turn_id)
    try:
        return _claim(app, question)
    except ServiceError:  # rolled back
        claim_watch.expect_no_more(question.turn_id)
        claim_watch.wake()  # it finds a claim that is left without a run
        raise
    except (SQLAlchemyError, gevent.Timeout):
        claim_watch.take_back(question.turn_id, question.caller.subject)
        raise


def _claim(app: Flask, question: Question) -> Question:
    """Claim and hold in one transaction. The caller pays for a chat turn.

    Raises `Unauthorized` for a user who was just disabled or erased.
    """
    lease: claims.WorkerLease = app.extensions["lease"]
    lease.renew_if_due()
    lease_watch: LeaseWatch = app.extensions["lease_watch"]
    with write_transaction() as session:
        users.lock(session, question.caller.subject)  # or their account would come back
        claims.take(session, question, lease.id, lease_watch.silent)
        _check_again(question)
        return hold_for(app, session, question, forwarded=question.caller)


def _check_again(question: Question) -> None:
    """Raises `AlreadyRunning` if another worker has stored this message, or changed what it is to
    replace, between our look and our claim."""
    asked = reuse.find_message(question.caller, question.user_message_id)
    replaces = question.replaces[0] if question.replaces else None
    ids = (question.chat_id, question.user_message_id, replaces)
    if reuse.find_replaced(question.caller, *ids, asked).record_ids != question.replaces:
        raise claims.AlreadyRunning()


def hold_for(
    app: Flask, session: Session, question: Question, forwarded: Caller | None
) -> Question:
    """The question with a hold on its payer's account, for the most its first step can cost.

    Raises `InsufficientCredits`.
    """
    payer = payer_of(forwarded, app.extensions["owner"].subject, question.caller)
    amount = max_cost(app, question)
    starting = app.config["SETTINGS"].starting_credits * prices.CREDIT
    ledger.ensure_account(session, payer.subject, starting)
    lease_id = app.extensions["lease"].id
    hold = ledger.reserve(session, payer, amount, question.turn_id, lease_id, HOLD_SECONDS)
    return replace(question, hold_id=hold, hold_amount=amount)


def max_cost(app: Flask, question: Question) -> int:
    """The most that a first step without history can cost, in micro-credits."""
    output = app.config["SETTINGS"].max_output_tokens
    messages = (UserMessage(question.content, question.aside),)
    tools = app.extensions["tools"].specs
    prompt = Prompt(question.system, messages, tools, max_output_tokens=output)
    return RoundTrip(question.model, prompt).max_cost
