"""Stored rows as the messages of a prompt: text, tool calls and their results, step by step."""

import json
from collections.abc import Iterator
from typing import Any

from sqlalchemy import select

from service.chat.models import Message as MessageRow
from service.chat.parts import INTERRUPTED
from service.extensions import db
from service.providers.prompt import (
    AssistantMessage,
    Call,
    Message,
    Result,
    ToolResults,
    UserMessage,
)


def load(chat_id: str) -> tuple[Message, ...]:
    """Everything said in a chat so far, in order."""
    statement = select(MessageRow).where(MessageRow.chat_id == chat_id).order_by(MessageRow.seq)
    rows = list(db.session.scalars(statement))
    db.session.commit()
    return tuple(message for row in rows for message in messages_of(row))


def messages_of(row: MessageRow) -> Iterator[Message]:
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
