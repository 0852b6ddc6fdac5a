"""Autonomous calls: the server itself asks the model, so the app's owner pays.

Source: docs/contract.md, section 0.14.3.
"""

from collections.abc import Iterator

from flask import Flask

from service.auth import users
from service.auth.owner import OWNER_CHECK
from service.auth.users import OWNER
from service.chat.question import NO_CHAT, Question
from service.chat.stream import chunks
from service.chat.turn import turn
from service.chat.turn.claim_watch import CLAIM_WATCH
from service.chat.turn.hold import hold_for
from service.chat.turn.instructions import system_text, time_text
from service.chat.turn.running import RUNS, Run
from service.chat.worker_lease import WORKER_LEASE
from service.database.access import write_transaction
from service.generation.completion import MODELS, require_configured
from service.ids import new_id
from service.providers.catalog import DEFAULT_MODEL
from service.times import now


def ask(app: Flask, text: str, model_id: str = DEFAULT_MODEL) -> Iterator[str]:
    """Yield the answer's text, piece by piece. Nothing but its charge is stored.

    The tools act with the owner's rights. Raises `ServiceError`, `ProviderError`.
    """
    run = Run(_question(app, text, model_id))
    run.has_readers = False
    run.interruption.allow()
    RUNS.of(app).add(run)
    CLAIM_WATCH.of(app).wake()
    try:
        for chunk in turn.answer(app, run):
            if isinstance(chunk, chunks.TextDelta):
                yield chunk.delta
    finally:
        RUNS.of(app).remove(run)
        run.tally.abandon()
        with app.app_context(), write_transaction() as session:
            run.hold.charge(session)


def _question(app: Flask, text: str, model_id: str) -> Question:
    model, owner = MODELS.of(app)[model_id], OWNER.of(app)
    require_configured(model)
    OWNER_CHECK.of(app).require()
    users.enrol(owner.subject, issued=owner.issued)
    question = Question(
        turn_id=new_id("turn"),
        chat_id=NO_CHAT,
        caller=owner,
        user_message_id="",
        assistant_message_id=new_id("msg"),
        content=text,
        model=model,
        request_id="",
        hold_id="",
        hold_amount=0,
        has_history=False,
        has_earlier=False,
        system=system_text(app, owner),
        aside=time_text(now(), "UTC"),
    )
    WORKER_LEASE.of(app).renew_if_due()
    with write_transaction() as session:
        return hold_for(app, session, question, forwarded=None)
