"""The rows of an ended turn: user, assistant and metadata, in one transaction with its charge.

Source: docs/contract.md, "One chat turn" and section 5.9.
"""

import time
from datetime import datetime, timedelta
from types import SimpleNamespace
from typing import Any, Literal

import gevent
import structlog
from flask import Flask
from sqlalchemy import Connection, Insert, bindparam, func, insert, select, update
from sqlalchemy.exc import DBAPIError, TimeoutError
from sqlalchemy.orm import Session

from service.chat import claims, earlier
from service.chat.collections import AI_CHATS, AI_MESSAGES, AI_TURNS
from service.chat.models import Chat, Message, Turn
from service.chat.question import Question
from service.chat.titles import title_from
from service.chat.turn import replacement
from service.chat.turn.running import Run
from service.database.access import write_transaction
from service.extensions import db, now, table
from service.records import outbox
from service.records.collection import Collection
from service.records.envelope import full_envelope
from service.web.errors import NotFound

TICK = timedelta(microseconds=1)
WRITE_SECONDS = 10.0  # for one try; then the connection counts as lost

Status = Literal["finished", "aborted"]

# The transaction was not committed, or its outcome is unknown: its connection was lost, it never
# got one, or it was the victim of a deadlock.
LOST = (DBAPIError, TimeoutError, gevent.Timeout)

log = structlog.get_logger("turn")

# Built once: to build a statement takes several times as long as to run it.
_chats, _messages, _turns = table(Chat), table(Message), table(Turn)
_this_chat = _chats.c.record_id == bindparam("chat")
LOCK_CHAT = select(_chats).where(_this_chat).with_for_update()
NEWEST = select(func.max(_messages.c.created_at)).where(_messages.c.chat_id == bindparam("chat"))
LAST_TURN = (
    select(_turns.c.turn_id)
    .where(_turns.c.user_id == bindparam("owner"), _turns.c.user_message_id == bindparam("message"))
    .order_by(_turns.c.seq.desc())
    .limit(1)
)
INSERT_MESSAGE = insert(_messages)
INSERT_TURN = insert(_turns)
TOUCH_CHAT = (
    update(_chats)
    .where(_this_chat)
    .values(updated_at=bindparam("moment"), active_at=bindparam("moment"), title=bindparam("name"))
)


class ChatDeleted(NotFound):
    message = "This chat has been deleted."


class NotStored(Exception):
    """The rows could not be written."""


class Overtaken(NotStored):
    """The turn lost its claim, and another turn has answered the message."""


def store(app: Flask, run: Run, status: Status) -> None:
    """Store all three rows, end the claim and charge the turn, in one transaction.

    A turn that has lost its claim still stores its rows, unless another turn has answered.

    When the connection is lost, the outcome is unknown: committed rows are looked up, and without
    any the transaction is tried once more. A row is tried twice if the database refuses it.
    Raises `ChatDeleted`, `NotStored`.
    """
    try:
        _try(app, run, status)
    except LOST as error:
        log.warning("rows not stored", error=type(error).__name__)
        try:
            _once_more(app, run, status)
        except LOST as again:
            log.error("rows not stored", error=type(again).__name__)
            raise NotStored() from None


def _once_more(app: Flask, run: Run, status: Status) -> None:
    if _is_stored(app, run.question):
        return
    try:
        _try(app, run, status)
    except NotStored:  # perhaps because the first try's commit was only slow
        if not _is_stored(app, run.question):
            raise


def _try(app: Flask, run: Run, status: Status) -> None:
    with gevent.Timeout(WRITE_SECONDS), app.app_context(), write_transaction() as session:
        _write(session, run, status)


def _is_stored(app: Flask, question: Question) -> bool:
    with gevent.Timeout(WRITE_SECONDS), app.app_context():
        stored = select(Turn.seq).where(Turn.turn_id == question.turn_id)
        return db.session.scalar(stored) is not None


def _write(session: Session, run: Run, status: Status) -> None:
    question, connection = run.question, session.connection()
    outbox.lock_group(connection, question.chat_id)
    chat = connection.execute(LOCK_CHAT, {"chat": question.chat_id}).one_or_none()
    if chat is None:
        raise ChatDeleted()
    claim = claims.drop(session, question.turn_id)
    run.was_watched |= claim.was_watched
    claimed = claim.is_found and not run.was_unclaimed
    if not claimed and (
        _is_answered(connection, question) or replacement.is_gone(session, question)
    ):
        raise Overtaken()
    changes = replacement.remove(session, question)
    moment = _next_moment(connection, question.chat_id)
    answered = moment + TICK
    for row in (_user_row(question) | _times(moment), _assistant_row(run) | _times(answered)):
        _insert(connection, INSERT_MESSAGE, row)
        changes.append(_change(AI_MESSAGES, None, SimpleNamespace(**row)))
    charged = run.hold.charge(session)
    metadata = _metadata_row(run, status) | {"credits": charged, "created_at": answered}
    _insert(connection, INSERT_TURN, metadata)
    changes.append(_change(AI_TURNS, None, Turn(**metadata)))
    if run.earlier:
        earlier.settle(session, question)
    name = _name(chat, question, status)
    changes.append(_touch(connection, chat, name, answered))
    outbox.append(connection, changes)


def _is_answered(connection: Connection, question: Question) -> bool:
    """Whether another turn has stored an answer since this one began."""
    message = {"owner": question.caller.subject, "message": question.user_message_id}
    return connection.scalar(LAST_TURN, message) != question.answered_by


def _name(chat: Any, question: Question, status: Status) -> str:
    """The chat's title; the first finished turn names an unnamed chat after its question."""
    if chat.title or status != "finished":
        return chat.title
    return title_from(question.content)


def _touch(connection: Connection, chat: Any, title: str, moment: datetime) -> outbox.Row:
    touched = max(moment, chat.updated_at + TICK)
    columns = {"title": title, "updated_at": touched, "active_at": touched}
    values = {"chat": chat.record_id, "moment": touched, "name": title}
    connection.execute(TOUCH_CHAT, values)
    return _change(AI_CHATS, chat, SimpleNamespace(**{**chat._mapping, **columns}))


def _change(collection: Collection, before: Any, after: Any) -> outbox.Row:
    was = full_envelope(collection, before) if before else None
    return outbox.change(collection, after.user_id, was, full_envelope(collection, after))


def _next_moment(connection: Connection, chat_id: str) -> datetime:
    """Now, or later: `createdAt` grows with every row of a chat."""
    newest = connection.scalar(NEWEST, {"chat": chat_id})
    return max(now(), newest + TICK) if newest else now()


def _times(moment: datetime) -> dict[str, datetime]:
    return {"created_at": moment, "updated_at": moment}


def _insert(connection: Connection, statement: Insert, values: dict[str, Any]) -> None:
    """Insert one row in a savepoint of its own, trying twice. Raises `NotStored`."""
    for _ in range(2):
        try:
            with connection.begin_nested():
                connection.execute(statement, values)
            return
        except DBAPIError as error:
            if error.connection_invalidated:
                raise  # there is no transaction left to try it in
            log.warning("row not stored", error=type(error).__name__)
    raise NotStored()


def _user_row(question: Question) -> dict[str, Any]:
    return {
        "record_id": question.user_message_id,
        "chat_id": question.chat_id,
        "user_id": question.caller.subject,
        "role": "user",
        "content": question.content,
        "parts": None,
        "edited": None,
    }


def _assistant_row(run: Run) -> dict[str, Any]:
    return {
        "record_id": run.question.assistant_message_id,
        "chat_id": run.question.chat_id,
        "user_id": run.question.caller.subject,
        "role": "assistant",
        "content": run.assembly.content,
        "parts": run.assembly.parts,
        "edited": None,
    }


def _metadata_row(run: Run, status: Status) -> dict[str, Any]:
    question, tally = run.question, run.tally
    return {
        "turn_id": question.turn_id,
        "chat_id": question.chat_id,
        "user_id": question.caller.subject,
        "user_message_id": question.user_message_id,
        "assistant_message_id": question.assistant_message_id,
        "model": question.model.id,
        "status": status,
        "reason": run.interruption.reason if status == "aborted" else None,
        "finish_reason": tally.reason,
        "steps": tally.steps,
        "input_tokens": tally.input,
        "output_tokens": tally.output,
        "cached_input_tokens": tally.cache_read,
        "cache_write_tokens": tally.cache_write,
        "usage_estimated": tally.estimated,
        "compaction": tally.stored_compaction,
        "duration_ms": round((time.monotonic() - question.began) * 1000),
    }
