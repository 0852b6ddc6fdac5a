"""The values of the rows that a turn stores, and of their changes in the feed."""

import time
from datetime import datetime
from types import SimpleNamespace
from typing import Any, Literal

from service.billing.units import to_credits
from service.chat.collections import AI_CHATS, AI_MESSAGES, AI_TURNS
from service.chat.question import Question
from service.chat.titles import title_from
from service.chat.turn.running import Run
from service.records import outbox
from service.records.collection import Collection
from service.records.envelope import full_envelope

TurnStatus = Literal["finished", "aborted"]
Values = dict[str, Any]


def message_rows(run: Run, moment: datetime, answered: datetime) -> list[Values]:
    """Return the rows of the user's message and its answer."""
    question, assembly = run.question, run.assembly
    message = _message(question, question.user_message_id, "user", moment)
    answer = _message(question, question.assistant_message_id, "assistant", answered)
    return [
        {**message, "content": question.content, "parts": None},
        {**answer, "content": assembly.content, "parts": assembly.parts},
    ]


def _message(question: Question, record_id: str, role: str, moment: datetime) -> Values:
    return {
        "record_id": record_id,
        "chat_id": question.chat_id,
        "user_id": question.caller.subject,
        "role": role,
        "edited": None,
        "created_at": moment,
        "updated_at": moment,
    }


def metadata_row(run: Run, status: TurnStatus, charged: int, moment: datetime) -> Values:
    """Return the metadata row. `charged` is in micro-credits."""
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
        "credits": charged,
        "compaction": tally.stored_compaction,
        "duration_ms": round((time.monotonic() - question.began) * 1000),
        "created_at": moment,
    }


def chat_title(chat: Any, question: Question, status: TurnStatus) -> str:
    """Return the chat's title. The first finished turn titles an untitled chat by its question."""
    title: str = chat.title
    if title or status != "finished":
        return title
    return title_from(question.content)


def message_change(row: Values) -> outbox.Row:
    return _change(AI_MESSAGES, None, SimpleNamespace(**row))


def turn_change(row: Values, usage: Values) -> outbox.Row:
    """Return the change of a metadata row, with the values of the model's properties."""
    made = {"usage": usage, "charged": to_credits(row["credits"])}
    times = {"updated_at": row["created_at"], "undone_at": None}
    return _change(AI_TURNS, None, SimpleNamespace(**row, **made, **times))


def chat_change(before: Any, columns: Values) -> outbox.Row:
    """Return the change of a chat's row, in which the turn has written these columns."""
    after = before._replace(**columns)
    return _change(AI_CHATS, before, after)


def _change(collection: Collection, before: Any, after: Any) -> outbox.Row:
    was = full_envelope(collection, before) if before else None
    return outbox.change(collection, after.user_id, was, full_envelope(collection, after))
