"""What has been said in a chat, as a model can be shown it: repaired on every request.

Rows may be of an older version, half deleted or edited; a provider refuses what does not fit
together, and would refuse it again at every later turn of the chat.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from service.chat.parts import INTERRUPTED
from service.providers.prompt import (
    AssistantMessage,
    Call,
    Message,
    Result,
    ToolResults,
    UserMessage,
)

CUT_SHORT = "[The reply above was interrupted before it was finished.]"
EDITED_QUESTION = "[I have edited this message since it was answered.]"
EDITED_ANSWER = "[I have edited the text of the reply above.]"
NO_BEGINNING = "[The beginning of this conversation is gone.]"
NO_TEXT = "(an empty message)"

CALL_ID = re.compile(r"[A-Za-z0-9_-]{1,40}")  # OpenAI takes no more; others take 64


@dataclass(frozen=True)
class Row:
    """A stored message. `cut_short` marks a reply that was interrupted, `seq` its place.

    `refused` marks question and answer of a turn that a provider refused: a provider that reads
    them refuses the next turn as well.
    """

    seq: int
    role: str
    content: str
    parts: list[Any] | None = None
    edited: bool = False
    cut_short: bool = False
    refused: bool = False

    @property
    def asks(self) -> bool:
        """A user's message: only in front of one may a conversation be cut."""
        return self.role == "user"


def messages_of(row: Row) -> Iterator[Message]:
    """A row as messages of a prompt; none for a turn that a provider has refused."""
    if row.refused:
        return
    if row.asks:
        yield UserMessage(row.content)
        if row.edited:
            yield UserMessage(EDITED_QUESTION)
        return
    yield from _said(row)
    if row.cut_short:
        yield UserMessage(CUT_SHORT)
    if row.edited:
        yield UserMessage(EDITED_ANSWER)


def _said(row: Row) -> Iterator[Message]:
    parts = [part for part in row.parts or [] if isinstance(part, dict)]
    yield from messages_of_parts(parts)
    if row.content.strip() and not any(map(_is_text, parts)):
        yield AssistantMessage(row.content)


def messages_of_parts(parts: Iterable[dict[str, Any]]) -> Iterator[Message]:
    """The parts of an assistant message, stored or of a running turn, as messages of a prompt."""
    for step in _steps(parts):
        yield from _messages_of_step(step)


def _steps(parts: Iterable[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """The parts a model is shown, step by step."""
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


def _call(part: dict[str, Any]) -> Call:
    given = part.get("input", part.get("rawInput"))
    # Providers want an object even where the model wrote something else.
    whole = given if isinstance(given, dict) else {"input": given}
    return Call(_id(part), part["type"].removeprefix("tool-") or "unknown", whole)


def _result(part: dict[str, Any]) -> Result:
    """Whatever became of a call, it has a result."""
    if part.get("state") == "output-available" and "output" in part:
        output = json.dumps(part["output"], ensure_ascii=False, separators=(",", ":"))
        return Result(_id(part), output)
    told = part.get("errorText")
    error = told if isinstance(told, str) and told.strip() else INTERRUPTED
    return Result(_id(part), error, failed=True)


def _id(part: dict[str, Any]) -> str:
    return str(part.get("toolCallId") or "")


def repaired(messages: Iterable[Message]) -> tuple[Message, ...]:
    """Messages that every wire takes: they begin with the user, no user says nothing, and calls
    have ids of their own.

    Repairing what is repaired changes nothing.
    """
    whole = tuple(_sound(messages))
    if whole and not isinstance(whole[0], UserMessage):
        return (UserMessage(NO_BEGINNING), *whole)
    return whole


def _sound(messages: Iterable[Message]) -> Iterator[Message]:
    """Each call under an id that a provider takes and no other call has; its result follows."""
    taken: set[str] = set()
    renamed: list[str] = []
    for message in messages:
        match message:
            case AssistantMessage(text, calls) if calls:
                renamed = [_free(call.id, taken) for call in calls]
                pairs = zip(calls, renamed, strict=True)
                yield AssistantMessage(text, tuple(Call(id, c.name, c.input) for c, id in pairs))
            case ToolResults(results):
                matched = zip(results, renamed, strict=True)
                yield ToolResults(tuple(Result(id, r.content, r.failed) for r, id in matched))
            case UserMessage(text) if not text.strip():
                yield UserMessage(NO_TEXT)
            case _:
                yield message


def _free(id: str, taken: set[str]) -> str:
    wanted = id if CALL_ID.fullmatch(id) else "call"
    number, free = 1, wanted
    while free in taken or not CALL_ID.fullmatch(free) or free == "call":
        number += 1
        free = f"{wanted[:32]}-{number}"
    taken.add(free)
    return free
