"""A user message id that was sent before: the stored answer again, a new one, or a conflict.

Source: docs/contract.md, sections 5.14 and 5.15.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sqlalchemy import bindparam, select

from service.auth.users import Caller
from service.chat.models import Message, Turn
from service.chat.stream import chunks
from service.chat.stream.chunks import Chunk
from service.chat.stream.metadata import message_metadata, usage_fields
from service.extensions import db
from service.providers.events import Usage
from service.web.errors import Conflict

REGENERATE = "regenerate-message"  # the AI SDK's own word


@dataclass(frozen=True)
class StoredAnswer:
    """An answered message, its turn's numbers, and the answer unless its owner has deleted it."""

    question: Message
    turn: Turn
    answer: Message | None

    @property
    def record_ids(self) -> tuple[str, ...]:
        question = self.question.record_id
        return (question, self.answer.record_id) if self.answer else (question,)


class IdInUse(Conflict):
    message = "This message id is already in use."


def find(caller: Caller, chat_id: str, message_id: str) -> StoredAnswer | None:
    """The stored answer to a user message that may be answered again; None for a new message id.

    Raises `IdInUse` unless it is the chat's last user message.
    """
    question = _message(caller, message_id)
    if question is None:
        return None
    if question.chat_id != chat_id or question.role != "user" or not _is_last(question):
        raise IdInUse()
    by_message = (Turn.user_id == caller.subject, Turn.user_message_id == message_id)
    turn = db.session.scalar(select(Turn).where(*by_message).order_by(Turn.seq.desc()).limit(1))
    if turn is None:
        raise IdInUse()
    return StoredAnswer(question, turn, _message(caller, turn.assistant_message_id))


def is_retry(stored: StoredAnswer, content: str, trigger: str | None) -> bool:
    """Whether the same text was sent again, as a network retry does, and no new answer is asked."""
    same = trigger != REGENERATE and stored.question.content == content
    return same and stored.answer is not None


def replay(stored: StoredAnswer) -> Iterator[Chunk]:
    """The stored answer as a stream like its first one, in fewer pieces."""
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
    if part["type"].startswith("data-"):
        yield chunks.data_part(part["type"], part["id"], part["data"])
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
    cache = (turn.cached_input_tokens or 0, turn.cache_write_tokens or 0)
    usage = usage_fields(Usage(turn.input_tokens, turn.output_tokens, *cache), turn.usage_estimated)
    compaction = dict(turn.compaction or {})
    if summary := compaction.pop("usage", None):
        usage["summary"] = summary
    metadata = message_metadata(turn.finish_reason, turn.steps, usage, compaction)
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


def _is_last(question: Message) -> bool:
    of_users = (Message.chat_id == question.chat_id, Message.role == "user")
    later = (*of_users, Message.seq > question.seq)
    return db.session.scalar(select(Message.seq).where(*later).limit(1)) is None
