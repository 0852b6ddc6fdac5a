"""Letting a turn in: the checks in the contract's order, then the claim and the hold.

Source: contract section 5, "Order, before the stream".
"""

from dataclasses import dataclass, replace
from typing import Any

import gevent
from flask import Flask
from sqlalchemy import bindparam, select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from service.auth import users
from service.auth.users import Caller
from service.billing import ledger, prices
from service.billing.payer import payer_of
from service.chat import claims, reuse
from service.chat.costs import HOLD_SECONDS
from service.chat.instructions import SYSTEM
from service.chat.keeper import Keeper
from service.chat.models import Chat
from service.chat.question import Question
from service.chat.tally import size
from service.database import write_transaction
from service.errors import Draining, InvalidModel, NotConfigured, NotFound, ServiceError
from service.extensions import db, table
from service.ids import new_id
from service.providers.catalog import DEFAULT_MODEL
from service.providers.prompt import Prompt, UserMessage
from service.providers.provider import Model


@dataclass(frozen=True)
class Asking:
    """A valid request body, and who sent it."""

    caller: Caller
    chat_id: str
    user_message_id: str
    content: str
    model_id: str | None
    trigger: str | None
    request_id: str


def admit(app: Flask, asking: Asking) -> Question | reuse.Stored:
    """The question to answer, claimed and held for; or the answer that is stored already.

    Raises `ServiceError` for every refusal.
    """
    if app.extensions["lifecycle"].draining:
        raise Draining()
    model = _model(app, asking.model_id)
    check_chat(asking.caller, asking.chat_id)
    stored = reuse.find(asking.caller, asking.chat_id, asking.user_message_id)
    if stored and reuse.is_retry(stored, asking.content, asking.trigger):
        return stored
    if model.provider.missing_setting:
        raise NotConfigured(model.provider.missing_setting)
    question = _question(asking, model, stored)
    db.session.commit()
    return _claimed(app, question)


def _model(app: Flask, model_id: str | None) -> Model:
    """Only the id's absence means the default. Raises `InvalidModel`."""
    known: dict[str, Model] = app.extensions["models"]
    model = known.get(DEFAULT_MODEL if model_id is None else model_id)
    if model is None:
        raise InvalidModel("There is no such model.", allowed=list(known))
    return model


_FIND_CHAT = select(table(Chat).c.seq).where(
    table(Chat).c.record_id == bindparam("chat"), table(Chat).c.user_id == bindparam("owner")
)


def check_chat(caller: Caller, chat_id: str) -> None:
    """Raises `NotFound`, the same for what is absent and what is another's."""
    if db.session.scalar(_FIND_CHAT, {"chat": chat_id, "owner": caller.subject}) is None:
        raise NotFound()


def _question(asking: Asking, model: Model, stored: reuse.Stored | None) -> Question:
    return Question(
        turn_id=new_id("turn"),
        chat_id=asking.chat_id,
        caller=asking.caller,
        user_message_id=asking.user_message_id,
        assistant_message_id=new_id("msg"),
        content=asking.content,
        model=model,
        request_id=asking.request_id,
        hold_id="",
        held=0,
        replaces=stored.record_ids if stored else (),
        answered_by=stored.turn.turn_id if stored else None,
    )


def _claimed(app: Flask, question: Question) -> Question:
    """The question, with its claim and its hold. The keeper expects its run from here on.

    If nobody can say whether the transaction was committed, the keeper takes both back.
    """
    keeper: Keeper = app.extensions["keeper"]
    keeper.expect(question.turn_id)
    try:
        return _claim(app, question)
    except ServiceError:  # rolled back
        keeper.expect_no_more(question.turn_id)
        keeper.attend()  # it finds a claim that is left without a run
        raise
    except (SQLAlchemyError, gevent.Timeout):
        keeper.take_back(question.turn_id, question.caller.subject)
        raise


def _claim(app: Flask, question: Question) -> Question:
    """Claim and hold in one transaction. The caller pays for a chat turn.

    Raises `Unauthorized` for who was just disabled or erased.
    """
    lease: claims.LeaseKeeper = app.extensions["lease"]
    lease.keep()
    with write_transaction() as session:
        users.hold(session, question.caller.subject)  # or their account would come back
        claims.take(session, question, lease.id, app.extensions["watch"].silent)
        # Another worker may have stored this message between our look and our claim.
        found = reuse.find(question.caller, question.chat_id, question.user_message_id)
        if (found.record_ids if found else ()) != question.replaces:
            raise claims.AlreadyRunning()
        return hold_for(app, session, question, forwarded=question.caller)


def hold_for(
    app: Flask, session: Session, question: Question, forwarded: Caller | None
) -> Question:
    """The question with a hold on its payer's account, for the most its first step can cost.

    Raises `InsufficientCredits`.
    """
    payer = payer_of(forwarded, app.extensions["owner"].subject)
    amount = most(app, question)
    starting = app.config["SETTINGS"].starting_credits * prices.CREDIT
    ledger.ensure_account(session, payer.subject, starting)
    lease_id = app.extensions["lease"].id
    hold = ledger.reserve(session, payer, amount, question.turn_id, lease_id, HOLD_SECONDS)
    return replace(question, hold_id=hold, held=amount)


def most(app: Flask, question: Question) -> int:
    """The most that a first step without history can cost, in micro-credits."""
    settings = app.config["SETTINGS"]
    said: Any = (UserMessage(question.content),)
    prompt = Prompt(SYSTEM, said, app.extensions["tools"].specs)
    return prices.most(question.model.id, size(prompt), settings.max_output_tokens)
