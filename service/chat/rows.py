"""The rows of a completed turn: user, assistant, metadata, in one transaction.

Source: specification, "One chat turn", step 6; contract section 5.
"""

import time
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import func, insert, select, update
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

from service.chat.models import Chat, Message, Turn
from service.chat.parts import Assembly
from service.chat.question import Question
from service.chat.tally import Tally
from service.database import write_transaction
from service.errors import NotFound
from service.extensions import now

TITLE_TAKEN = 60  # characters of the user's text that name an unnamed chat
TICK = timedelta(microseconds=1)


def store(question: Question, assembly: Assembly, tally: Tally) -> None:
    """All three rows or none. Raises `NotFound` when the chat has been deleted meanwhile."""
    with write_transaction() as session:
        chat = select(Chat).where(Chat.record_id == question.chat_id).with_for_update()
        if session.scalar(chat) is None:
            raise NotFound("This chat has been deleted.")
        moment = _next_moment(session, question.chat_id)
        answered = moment + TICK
        _insert(session, Message, {**_user_row(question), **_times(moment)})
        _insert(session, Message, {**_assistant_row(question, assembly), **_times(answered)})
        _insert(session, Turn, {**_metadata_row(question, tally), "created_at": answered})
        _touch(session, question, answered)


def _next_moment(session: Session, chat_id: str) -> datetime:
    """Now, but later than any row of the chat: `createdAt` never stands still within one."""
    newest = session.scalar(select(func.max(Message.created_at)).where(Message.chat_id == chat_id))
    return max(now(), newest + TICK) if newest else now()


def _times(moment: datetime) -> dict[str, datetime]:
    return {"created_at": moment, "updated_at": moment}


def _insert(session: Session, table: Any, values: dict[str, Any]) -> None:
    """One row in a savepoint of its own, tried twice."""
    statement = insert(table).values(**values)
    try:
        with session.begin_nested():
            session.execute(statement)
    except DBAPIError:
        with session.begin_nested():
            session.execute(statement)


def _touch(session: Session, question: Question, moment: datetime) -> None:
    """A chat nobody has named takes its name from the first completed turn."""
    title = " ".join(question.content.split())[:TITLE_TAKEN]
    by_id = Chat.record_id == question.chat_id
    session.execute(update(Chat).where(by_id).values(updated_at=moment))
    session.execute(update(Chat).where(by_id, Chat.title == "").values(title=title))


def _user_row(question: Question) -> dict[str, Any]:
    return {
        "record_id": question.user_message_id,
        "chat_id": question.chat_id,
        "user_id": question.caller.subject,
        "role": "user",
        "content": question.content,
    }


def _assistant_row(question: Question, assembly: Assembly) -> dict[str, Any]:
    return {
        "record_id": question.assistant_message_id,
        "chat_id": question.chat_id,
        "user_id": question.caller.subject,
        "role": "assistant",
        "content": assembly.content,
        "parts": assembly.parts,
    }


def _metadata_row(question: Question, tally: Tally) -> dict[str, Any]:
    return {
        "turn_id": question.turn_id,
        "chat_id": question.chat_id,
        "user_id": question.caller.subject,
        "user_message_id": question.user_message_id,
        "assistant_message_id": question.assistant_message_id,
        "model": question.model.id,
        "status": "finished",
        "finish_reason": tally.reason,
        "steps": tally.steps,
        "input_tokens": tally.input,
        "output_tokens": tally.output,
        "usage_estimated": tally.estimated,
        "duration_ms": round((time.monotonic() - question.began) * 1000),
    }
