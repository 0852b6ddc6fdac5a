"""How a request relates to stored messages.

The stored answer is streamed again, or a new answer replaces messages, or the request conflicts
with them. Source: docs/contract.md, sections 5.14, 5.15 and 5.20.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import bindparam, select

from service.auth.users import Caller
from service.chat import claims
from service.chat.models import Message, Turn
from service.chat.stream import chunks
from service.chat.stream.chunks import Chunk
from service.chat.stream.metadata import message_metadata
from service.extensions import db
from service.web.errors import Conflict, InvalidRequest, NotFound

REGENERATE = "regenerate-message"  # the AI SDK's own word


@dataclass(frozen=True)
class StoredAnswer:
    """The metadata row of a message's turn, and its answer."""

    turn: Turn
    answer: Message


class StoredPair(NamedTuple):
    """The stored message with the request's id, and the answer to send again, or None."""

    message: Message | None
    answer: StoredAnswer | None


@dataclass(frozen=True)
class Replaced:
    """The stored messages that a new answer replaces.

    `record_ids` are their ids, the first of which is a user's message, and `first` is the sequence
    number of this one. `answered_by` is the last turn that answered the request's message id.
    """

    record_ids: tuple[str, ...] = ()
    first: int | None = None
    answered_by: str | None = None


class IdInUse(Conflict):
    message = "This message id is already in use."


class NothingToReplace(NotFound):
    message = "This chat has no message with the id in `replaces`."


def find_message(caller: Caller, record_id: str) -> Message | None:
    """Return the caller's stored message with this id, in any chat."""
    return db.session.scalar(_FIND_MESSAGE, {"owner": caller.subject, "message": record_id})


def look_for_answer(
    caller: Caller, message_id: str, chat_id: str, content: str, trigger: str | None
) -> StoredPair:
    """Return the caller's stored message with this id, and its answer if that is sent again.

    Raises `AlreadyRunning` for a message that is being answered, because a stored answer is about
    to be replaced.
    """
    if claims.is_answered(caller.subject, message_id):
        raise claims.AlreadyRunning()
    stored = find_message(caller, message_id)
    return StoredPair(stored, _stored_answer(stored, chat_id, content, trigger))


def _stored_answer(
    stored: Message | None, chat_id: str, content: str, trigger: str | None
) -> StoredAnswer | None:
    """Return the stored answer if the request repeats the chat's last user message.

    A network retry sends the same text and does not ask for a new answer. `stored` is the message
    with the request's id.
    """
    if stored is None or trigger == REGENERATE or stored.content != content:
        return None
    if not _is_answerable(stored, chat_id):
        return None
    turn = _last_turn(stored.user_id, stored.record_id)
    by_id = {"owner": stored.user_id, "message": turn.assistant_message_id if turn else ""}
    answer = db.session.scalar(_FIND_MESSAGE, by_id)
    return StoredAnswer(turn, answer) if turn and answer else None


def find_replaced(
    caller: Caller, chat_id: str, message_id: str, replaces: str | None, stored: Message | None
) -> Replaced:
    """Return which messages the answer replaces: none if the message is new.

    Otherwise `replaces`, or the chat's last user message if it is sent again, with all messages
    after it. Raises `IdInUse`, `NothingToReplace`, `InvalidRequest`, and `AlreadyRunning` for a
    message that is being answered.
    """
    if stored is None and replaces in (None, message_id):
        return Replaced()  # deleted since the first look
    turn = _last_turn(caller.subject, message_id)
    if replaces is not None:
        first = _message_to_replace(caller, chat_id, replaces)
    elif stored and turn and _is_answerable(stored, chat_id):
        first = stored
    else:
        raise IdInUse()
    if stored is not None and stored.seq != first.seq:
        raise IdInUse()
    following = select(Message.record_id).where(
        Message.chat_id == chat_id, Message.seq >= first.seq
    )
    ids = db.session.scalars(following.order_by(Message.seq)).all()
    return Replaced(tuple(ids), first.seq, turn.turn_id if turn else None)


def _message_to_replace(caller: Caller, chat_id: str, record_id: str) -> Message:
    message = find_message(caller, record_id)
    if message is None and claims.exists_for(caller.subject, chat_id, record_id):
        raise claims.AlreadyRunning()
    if message is None or message.chat_id != chat_id:
        raise NothingToReplace()
    if message.role != "user":
        raise InvalidRequest(details={"replaces": ["Must be the id of a user's message."]})
    return message


def replay(stored: StoredAnswer) -> Iterator[Chunk]:
    """Yield the stored answer as a stream like its first one, in fewer pieces."""
    turn, answer = stored.turn, stored.answer
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
    compaction = {k: value for k, value in (turn.compaction or {}).items() if k != "usage"}
    metadata = message_metadata(turn.finish_reason, turn.steps, turn.usage, compaction)
    if turn.status == "aborted":
        yield chunks.MessageMetadata({**metadata, "aborted": True})
        yield chunks.Abort()
    else:
        yield chunks.Finish(metadata)


_FIND_MESSAGE = select(Message).where(
    Message.user_id == bindparam("owner"), Message.record_id == bindparam("message")
)


def _last_turn(subject: str, message_id: str) -> Turn | None:
    """Return the last turn that answered the message."""
    of_message = (Turn.user_id == subject, Turn.user_message_id == message_id)
    return db.session.scalar(select(Turn).where(*of_message).order_by(Turn.seq.desc()).limit(1))


def _is_answerable(stored: Message, chat_id: str) -> bool:
    """Return whether it is the last user message of this chat."""
    if stored.chat_id != chat_id or stored.role != "user":
        return False
    later = (Message.chat_id == chat_id, Message.role == "user", Message.seq > stored.seq)
    return db.session.scalar(select(Message.seq).where(*later).limit(1)) is None
