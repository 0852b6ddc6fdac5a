"""Convert stored rows to messages of a prompt, and repair these for every request.

Rows can be edited, partly deleted, or written by an older version. A provider refuses inconsistent
messages, and would refuse them again in every later turn of the chat.
"""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from service.chat.stream.parts import INTERRUPTED
from service.providers.prompt import (
    AssistantMessage,
    Message,
    Result,
    ToolCall,
    ToolResults,
    UserMessage,
)

CUT_SHORT = "[The reply above was interrupted before it was finished.]"
EDITED_QUESTION = "[I have edited this message since it was answered.]"
EDITED_ANSWER = "[I have edited the text of the reply above.]"
UNDONE = (
    "[I have taken back what the reply above has changed in the app, as far as it still was so.]"
)
NO_BEGINNING = "[The beginning of this conversation is gone.]"
NO_TEXT = "(an empty message)"

CALL_ID = re.compile(r"[A-Za-z0-9_-]{1,40}")  # OpenAI accepts at most 40, others 64


class StoredMessage(NamedTuple):
    """A stored message; `seq` orders the messages of a chat.

    `cut_short` marks an interrupted reply, and `undone` a reply whose changes were reverted.
    `refused` marks the question and the answer of a turn that a provider refused. A provider that
    reads them would refuse the next turn too.
    """

    seq: int
    role: str
    content: str
    parts: list[Any] | None = None
    edited: bool = False
    cut_short: bool = False
    refused: bool = False
    undone: bool = False

    @property
    def is_question(self) -> bool:
        """Whether it is a user's message. A conversation may be cut only before one."""
        return self.role == "user"


def messages_of(row: StoredMessage) -> Iterator[Message]:
    """Yield a row as messages of a prompt; none for a refused turn."""
    if row.refused:
        return
    if row.is_question:
        yield UserMessage(row.content)
        if row.edited:
            yield UserMessage(EDITED_QUESTION)
        return
    yield from _answer(row)
    if row.cut_short:
        yield UserMessage(CUT_SHORT)
    if row.undone:
        yield UserMessage(UNDONE)
    if row.edited:
        yield UserMessage(EDITED_ANSWER)


def _answer(row: StoredMessage) -> Iterator[Message]:
    parts = [part for part in row.parts or [] if isinstance(part, dict)]
    yield from messages_of_parts(parts)
    if row.content.strip() and not any(map(_is_text, parts)):
        yield AssistantMessage(row.content)


def messages_of_parts(parts: Iterable[dict[str, Any]]) -> Iterator[Message]:
    """Yield the parts of an assistant message as messages of a prompt."""
    for step in _steps(parts):
        yield from _messages_of_step(step)


def _steps(parts: Iterable[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """Yield the parts that become messages, grouped by step."""
    step: list[dict[str, Any]] = []
    for part in parts:
        kind = part.get("type")
        if kind == "step-start":
            yield step
            step = []
        elif _is_text(part) or (isinstance(kind, str) and kind.startswith("tool-")):
            step.append(part)
    yield step


def _is_text(part: dict[str, Any]) -> bool:
    text = part.get("text")
    return part.get("type") == "text" and isinstance(text, str) and bool(text.strip())


def _messages_of_step(parts: list[dict[str, Any]]) -> Iterator[Message]:
    text = "\n\n".join(part["text"] for part in parts if part["type"] == "text")
    tools = [part for part in parts if part["type"] != "text"]
    if text or tools:
        yield AssistantMessage(text, tuple(_call(part) for part in tools))
    if tools:
        yield ToolResults(tuple(_result(part) for part in tools))


def _call(part: dict[str, Any]) -> ToolCall:
    value = part.get("input", part.get("rawInput"))
    # Providers require an object, even if the model wrote another value.
    call_input = value if isinstance(value, dict) else {"input": value}
    return ToolCall(_id(part), part["type"].removeprefix("tool-") or "unknown", call_input)


def _result(part: dict[str, Any]) -> Result:
    """Return the result of a call. An unfinished call gets an error as its result."""
    if part.get("state") == "output-available" and "output" in part:
        output = json.dumps(part["output"], ensure_ascii=False, separators=(",", ":"))
        return Result(_id(part), output)
    text = part.get("errorText")
    error = text if isinstance(text, str) and text.strip() else INTERRUPTED
    return Result(_id(part), error, failed=True)


def _id(part: dict[str, Any]) -> str:
    return str(part.get("toolCallId") or "")


def repair(messages: Iterable[Message]) -> tuple[Message, ...]:
    """Return messages that every wire accepts.

    The first one is the user's, no text of the user is empty, and every call has a unique id.
    Repairing them again changes nothing.
    """
    valid = tuple(_valid_messages(messages))
    if valid and not isinstance(valid[0], UserMessage):
        return (UserMessage(NO_BEGINNING), *valid)
    return valid


def _valid_messages(messages: Iterable[Message]) -> Iterator[Message]:
    """Give each call and its result an id that providers accept and no other call has."""
    used: set[str] = set()
    ids: list[str] = []
    for message in messages:
        match message:
            case AssistantMessage(text, calls) if calls:
                ids = [_unique_id(call.id, used) for call in calls]
                pairs = zip(calls, ids, strict=True)
                yield AssistantMessage(
                    text, tuple(ToolCall(id, c.name, c.input) for c, id in pairs)
                )
            case ToolResults(results):
                matching = zip(results, ids, strict=True)
                yield ToolResults(tuple(Result(id, r.content, r.failed) for r, id in matching))
            case UserMessage(text, aside) if not text.strip():
                yield UserMessage(NO_TEXT, aside)
            case _:
                yield message


def _unique_id(id: str, used: set[str]) -> str:
    """Return the id, or a valid one made from it, that is not in `used`; adds it to `used`."""
    prefix = id if CALL_ID.fullmatch(id) else "call"
    number, unique = 1, prefix
    while unique in used or not CALL_ID.fullmatch(unique) or unique == "call":
        number += 1
        unique = f"{prefix[:32]}-{number}"
    used.add(unique)
    return unique
