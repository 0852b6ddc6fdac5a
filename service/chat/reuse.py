"""A user message id that was sent before: the stored answer again, a new one, or a conflict.

Source: contract section 5, the paragraph on `userMessageId`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sqlalchemy import bindparam, select

from service.auth.users import Caller
from service.chat import chunks
from service.chat.chunks import Chunk
from service.chat.models import Message, Turn
from service.chat.tally import shown
from service.errors import Conflict
from service.extensions import db

REGENERATE = "regenerate-message"  # the AI SDK's own word


@dataclass(frozen=True)
class Stored:
    """An answered message, its turn's numbers, and the answer unless its owner has deleted it."""

    asked: Message
    turn: Turn
    answer: Message | None

    @property
    def record_ids(self) -> tuple[str, ...]:
        asked = self.asked.record_id
        return (asked, self.answer.record_id) if self.answer else (asked,)


class IdInUse(Conflict):
    message = "This message id is already in use."


def find(caller: Caller, chat_id: str, message_id: str) -> Stored | None:
    """What is stored under a user message id that may be answered again.

    None when the id is new. Raises `IdInUse` unless it is the chat's last user message.
    """
    asked = _message(caller, message_id)
    if asked is None:
        return None
    if asked.chat_id != chat_id or asked.role != "user" or not _is_last(asked):
        raise IdInUse()
    by_message = (Turn.user_id == caller.subject, Turn.user_message_id == message_id)
    turn = db.session.scalar(select(Turn).where(*by_message).order_by(Turn.seq.desc()).limit(1))
    if turn is None:
        raise IdInUse()
    return Stored(asked, turn, _message(caller, turn.assistant_message_id))


def is_retry(stored: Stored, content: str, trigger: str | None) -> bool:
    """Whether the same was sent again, as a network retry does, and nothing new is wanted."""
    same = trigger != REGENERATE and stored.asked.content == content
    return same and stored.answer is not None


def replay(stored: Stored) -> Iterator[Chunk]:
    """The stored answer as the stream it once was, only in fewer pieces."""
    turn, answer = stored.turn, stored.answer
    assert answer
    yield chunks.Start(turn.assistant_message_id, {"turnId": turn.turn_id, "modelId": turn.model})
    in_step = False
    for number, part in enumerate(answer.parts or []):
        if part["type"] == "step-start":
            yield from [chunks.FinishStep()] if in_step else []
            yield chunks.StartStep()
            in_step = True
        else:
            yield from _part(part, f"text-{number}")
    if in_step:
        yield chunks.FinishStep()
    yield from _end(turn)


def _part(part: dict[str, Any], text_id: str) -> Iterator[Chunk]:
    if part["type"] == "text":
        yield chunks.TextStart(text_id)
        yield chunks.TextDelta(text_id, part["text"])
        yield chunks.TextEnd(text_id)
        return
    call_id, name = part["toolCallId"], part["type"].removeprefix("tool-")
    if "rawInput" in part:
        yield chunks.ToolInputError(call_id, name, part["rawInput"], part["errorText"])
        return
    yield chunks.ToolInputAvailable(call_id, name, part["input"])
    if part["state"] == "output-available":
        yield chunks.ToolOutputAvailable(call_id, part["output"])
    else:
        yield chunks.ToolOutputError(call_id, part["errorText"])


def _end(turn: Turn) -> Iterator[Chunk]:
    tokens = (turn.input_tokens, turn.output_tokens)
    cache = (turn.cached_input_tokens, turn.cache_write_tokens)
    usage: dict[str, Any] = shown(*tokens, *cache)
    if turn.usage_estimated:
        usage["estimated"] = True
    compaction = dict(turn.compaction or {})
    if summary := compaction.pop("usage", None):
        usage["summary"] = summary
    metadata = {"finishReason": turn.finish_reason, "steps": turn.steps, "usage": usage}
    if compaction:
        metadata["compaction"] = compaction
    if turn.status == "aborted":
        yield chunks.MessageMetadata({**metadata, "aborted": True})
        yield chunks.Abort()
    else:
        yield chunks.Finish(metadata)


_FIND_MESSAGE = select(Message).where(
    Message.user_id == bindparam("owner"), Message.record_id == bindparam("message")
)


def _message(caller: Caller, record_id: str) -> Message | None:
    by_id = {"owner": caller.subject, "message": record_id}
    return db.session.scalar(_FIND_MESSAGE, by_id)


def _is_last(asked: Message) -> bool:
    later = (Message.chat_id == asked.chat_id, Message.role == "user", Message.seq > asked.seq)
    return db.session.scalar(select(Message.seq).where(*later).limit(1)) is None
