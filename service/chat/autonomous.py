"""An autonomous call: the server asks the model by itself, so the app's owner pays.

Source: specification, "Authentication", 4.
"""

from collections.abc import Iterator

from flask import Flask

from service.auth import users
from service.chat import chunks, costs, turn
from service.chat.admission import hold_for
from service.chat.question import Question
from service.chat.running import Run
from service.database import write_transaction
from service.errors import NotConfigured
from service.ids import new_id
from service.providers.catalog import DEFAULT_MODEL


def ask(app: Flask, text: str, model_id: str = DEFAULT_MODEL) -> Iterator[str]:
    """The answer's text, piece by piece. Nothing but its charge is stored.

    The tools act with the owner's rights. Raises `ServiceError`, `ProviderError`.
    """
    run = Run(_question(app, text, model_id))
    run.begin()
    app.extensions["runs"].add(run)
    app.extensions["keeper"].attend()
    try:
        for chunk in turn.answer(app, run):
            if isinstance(chunk, chunks.TextDelta):
                yield chunk.delta
    finally:
        app.extensions["runs"].remove(run)
        run.tally.cut()
        with app.app_context(), write_transaction() as session:
            costs.charge(session, run)


def _question(app: Flask, text: str, model_id: str) -> Question:
    model = app.extensions["models"][model_id]
    if model.provider.missing_setting:
        raise NotConfigured(model.provider.missing_setting)
    question = Question(
        turn_id=new_id("turn"),
        chat_id="",
        caller=app.extensions["owner"],
        user_message_id="",
        assistant_message_id=new_id("msg"),
        content=text,
        model=model,
        request_id="",
        hold_id="",
        held=0,
    )
    users.enrol(question.caller.subject, issued=question.caller.issued)
    app.extensions["lease"].keep()
    with write_transaction() as session:
        return hold_for(app, session, question, forwarded=None)
