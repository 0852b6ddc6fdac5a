"""The admission of a turn: the checks in the contract's order, up to the claim.

Source: docs/contract.md, section 5.1.
"""

from dataclasses import dataclass, field, replace

from flask import Flask

from service.app_keys import APP_SETTINGS
from service.auth.users import Caller
from service.billing.budgets import budget_of
from service.chat.models import ID_LIMIT
from service.chat.question import Question
from service.chat.turn import claiming, reuse
from service.chat.turn.instructions import system_text, time_text
from service.database.access import core_transaction, write_transaction
from service.extensions import db
from service.generation.completion import MODELS, require_configured
from service.ids import new_id
from service.lifecycle import LIFECYCLE
from service.providers.catalog import DEFAULT_MODEL
from service.providers.provider import Model
from service.times import now
from service.web.errors import Draining, InvalidModel, NotFound


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
    """Return the question to answer, with its claim and hold; or the answer that is stored already.

    Raises `ServiceError` for every refusal.
    """
    if LIFECYCLE.of(app).draining:
        raise Draining()
    model = _model(app, submission.model_id)
    if len(submission.chat_id) > ID_LIMIT:  # no chat has it, and it does not fit a claim
        raise NotFound()
    question = _question(app, submission, model)
    if submission.replaces in (None, submission.user_message_id):
        try:
            # Not durable: claim and hold are not visible outside, and useless without this process.
            transaction = core_transaction(app, durable=False)
            return claiming.run_claim(app, question, transaction, claiming.claim_new)
        except claiming.StoredBefore:
            pass
    return _admit_again(app, submission, question)


def _admit_again(
    app: Flask, submission: Submission, question: Question
) -> Question | reuse.StoredAnswer:
    """Admit a message that is stored already or replaces others, or return its answer."""
    stored, answer = _look_for_answer(submission)
    if answer:
        return answer
    replaced = reuse.find_replaced(
        submission.caller,
        submission.chat_id,
        submission.user_message_id,
        submission.replaces,
        stored,
    )
    require_configured(question.model)
    db.session.commit()
    question = replace(
        question,
        replaces=replaced.record_ids,
        history_end=replaced.first,
        answered_by=replaced.answered_by,
    )
    return claiming.run_claim(app, question, write_transaction(), claiming.claim_again)


def find_answer(app: Flask, submission: Submission) -> reuse.StoredAnswer | None:
    """Return the stored answer that would be sent again for the message; it needs no turn.

    Raises `ServiceError` for refusals that come before this look-up.
    """
    _model(app, submission.model_id)
    return _look_for_answer(submission).answer


def _look_for_answer(submission: Submission) -> reuse.StoredPair:
    """Look for the stored answer. Raises `NotFound` for the chat, and `AlreadyRunning`."""
    check_chat(submission.caller, submission.chat_id)
    return reuse.look_for_answer(
        submission.caller,
        submission.user_message_id,
        submission.chat_id,
        submission.content,
        submission.trigger,
    )


def _model(app: Flask, model_id: str | None) -> Model:
    """Return a model; None means the default model. Raises `InvalidModel`."""
    model = MODELS.of(app).get(DEFAULT_MODEL if model_id is None else model_id)
    if model is None:
        raise InvalidModel("There is no such model.", allowed=list(MODELS.of(app)))
    return model


def check_chat(caller: Caller, chat_id: str) -> None:
    """Check that the chat is the caller's.

    Raises `NotFound`, the same for a missing chat and for another user's chat.
    """
    if db.session.scalar(claiming.FIND_CHAT, {"chat": chat_id, "owner": caller.subject}) is None:
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
        budget=budget_of(APP_SETTINGS.of(app).budgets, submission.caller),
        token=submission.token,
        system=system_text(app, submission.caller),
        aside=time_text(now(), submission.time_zone),
    )
