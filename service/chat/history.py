"""Stored rows as the messages of a prompt: text, tool calls and their results, step by step."""

import json
from collections.abc import Iterator
from typing import Any

from sqlalchemy import Row, Select, bindparam, select

from service.chat.models import Message as MessageRow
from service.chat.models import Turn
from service.chat.parts import INTERRUPTED
from service.chat.question import Question
from service.extensions import db, table
from service.providers.prompt import (
    AssistantMessage,
    Call,
    Message,
    Result,
    ToolResults,
    UserMessage,
)

EDITED_QUESTION = "[I have edited this message since it was answered.]"
EDITED_ANSWER = "[I have edited the text of the reply above.]"
CUT_SHORT = "[The reply above was interrupted before it was finished.]"


_messages = table(MessageRow)
_IN_CHAT = (
    select(
        _messages.c.record_id,
        _messages.c.role,
        _messages.c.content,
        _messages.c.parts,
        _messages.c.edited,
    )
    .where(_messages.c.chat_id == bindparam("chat"))
    .order_by(_messages.c.seq)
)


def load(question: Question) -> Iterator[Message]:
    """Everything said in the question's chat so far, in order, but for what it replaces."""
    rows = db.session.connection().execute(_IN_CHAT, {"chat": question.chat_id}).all()
    rows = [row for row in rows if row.record_id not in _replaced(question)]
    cut_short = set(db.session.scalars(_aborted(question.chat_id))) if rows else set()
    db.session.commit()
    for row in rows:
        yield from messages_of(row)
        if row.record_id in cut_short:
            yield UserMessage(CUT_SHORT)
        if row.edited:
            yield UserMessage(EDITED_QUESTION if row.role == "user" else EDITED_ANSWER)


def _replaced(question: Question) -> tuple[str, ...]:
    return (question.user_message_id, question.replaces) if question.replaces else ()


def _aborted(chat_id: str) -> Select[str]:
    statement = select(Turn.assistant_message_id)
    return statement.where(Turn.chat_id == chat_id, Turn.status == "aborted")


def messages_of(row: MessageRow | Row[Any, Any, Any, Any, Any]) -> Iterator[Message]:
    if row.role == "user":
        yield UserMessage(row.content)
    elif row.parts:
        for step in _steps(row.parts):
            yield from _messages_of_step(step)
    elif row.content:
        yield AssistantMessage(row.content)


def _steps(parts: list[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    step: list[dict[str, Any]] = []
    for part in parts:
        if part["type"] == "step-start":
            yield step
            step = []
        else:
            step.append(part)
    yield step


def _messages_of_step(parts: list[dict[str, Any]]) -> Iterator[Message]:
    text = "\n\n".join(part["text"] for part in parts if part["type"] == "text")
    tools = [part for part in parts if part["type"].startswith("tool-")]
    if text or tools:
        yield AssistantMessage(text, tuple(_call(part) for part in tools))
    if tools:
        yield ToolResults(tuple(_result(part) for part in tools))


def _call(part: dict[str, Any]) -> Call:
    given = part.get("input", part.get("rawInput"))
    # Providers want an object even where the model wrote something else.
    whole = given if isinstance(given, dict) else {"input": given}
    return Call(part["toolCallId"], part["type"].removeprefix("tool-"), whole)


def _result(part: dict[str, Any]) -> Result:
    if part["state"] == "output-available":
        output = json.dumps(part["output"], ensure_ascii=False, separators=(",", ":"))
        return Result(part["toolCallId"], output)
    return Result(part["toolCallId"], part.get("errorText") or INTERRUPTED, failed=True)
