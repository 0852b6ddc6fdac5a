"""The collections of chats, messages, turns and users.

The module also has the effects of editing a message and of deleting a chat.
"""

from collections.abc import Iterator
from typing import Any

from sqlalchemy import Select, func, select
from sqlalchemy.orm import Session

from service.auth import user_locks
from service.auth.models import User
from service.chat import claims, indexed_words, journal
from service.chat.models import TITLE_LIMIT, Chat, Message, Turn
from service.chat.titles import wrong_title
from service.database.locks import lock_name
from service.integrations.calling import key_rows
from service.records import outbox
from service.records.collection import EVERY_ROLE, Collection, Column, Permissions, Values

DELETED_AT_ONCE = 10_000  # messages of a chat, which take a statement about a second

# Only the chat routes create rows. Otherwise a client could forge an assistant's message, which
# later turns would read as history.
OWN_BUT_NOT_CREATE: Permissions = {
    EVERY_ROLE: {"read": "own", "create": False, "update": "own", "delete": "own"},
}


def _edit(session: Session, row: Message, changes: Values) -> None:
    """Replace a message's text. Its tool calls stay, and the model is told about the edit.

    The same text again is no edit.
    """
    content = changes.get("content")
    if content is None or content == row.content:
        return
    row.edited = True
    if row.parts:
        row.parts = with_text(row.parts, content)


def with_text(parts: list[dict[str, Any]], content: str) -> list[dict[str, Any]]:
    """Return the parts with `content` as the only text.

    It takes the place of the last text, or else the end.
    """
    texts = [number for number, part in enumerate(parts) if _is_text(part)]
    at = texts[-1] if texts else len(parts)
    text = {"type": "text", "text": content, "state": "done"}
    before = [part for part in parts[:at] if not _is_text(part)]
    return [*before, text, *parts[at + 1 :]]


def _is_text(part: Any) -> bool:
    return isinstance(part, dict) and part.get("type") == "text"


def _delete_chat(session: Session, chat: Chat) -> None:
    """End the chat's replies, announce the deletion of its messages, and delete their texts."""
    claims.request_end(session, chat.record_id, "deleted")
    for messages in _parts_of(session, chat.record_id):
        outbox.append_removals(session, AI_MESSAGES, chat.user_id, messages)
    _forget_texts(session, chat.record_id, chat.user_id)


def _parts_of(session: Session, chat_id: str) -> Iterator[Select[str]]:
    """Yield selects of the ids of a chat's messages, in their order.

    A statement for all messages of a large chat could exceed the database's time limit.
    """
    of_chat, after = Message.chat_id == chat_id, 0
    while True:
        left = select(Message.seq).where(of_chat, Message.seq > after).order_by(Message.seq)
        last = session.scalar(select(func.max(left.limit(DELETED_AT_ONCE).subquery().c.seq)))
        if last is None:
            return
        part = select(Message.record_id).where(of_chat, Message.seq > after, Message.seq <= last)
        yield part.order_by(Message.seq)
        after = last


def _forget_texts(session: Session, chat_id: str, owner: str) -> None:
    """Delete the texts that the tools of a deleted chat's turns have read and written.

    The keys come before the journal, because the end of a call locks them in this order.
    """
    key_rows.forget_chat(session, owner, chat_id)
    journal.forget(session, chat_id, owner)


def forget_if_deleted(session: Session, chat_id: str, owner: str) -> None:
    """Delete the texts of a chat's turns if the chat was deleted.

    It is called when a turn ends without rows, because its tools may have worked until the turn
    learned of the deletion. Call it before the transaction takes any lock.
    """
    lock_name(session.connection(), chat_id)
    user_locks.lock_row(session, owner)
    if session.scalar(select(Chat.seq).where(Chat.record_id == chat_id)) is None:
        _forget_texts(session, chat_id, owner)


def keep_place(session: Session, chat: Chat, changes: Values) -> None:
    """Keep the time of the chat's last message, by which lists are sorted.

    So a change of the chat does not move it in lists. Turns set this time too. A chat without it
    was changed only by its turns.
    """
    if chat.active_at is None:
        chat.active_at = chat.updated_at


AI_CHATS = Collection(
    name=journal.CHATS,
    model=Chat,
    columns=(
        Column("userId", attribute="user_id", required=True, fixed=True),
        Column(
            "title",
            attribute="title",
            required=True,
            least=1,
            most=TITLE_LIMIT,
            check=wrong_title,
        ),
        Column("pinned", "boolean", "pinned"),
        Column("activeAt", "datetime", "active_at", fixed=True),
    ),
    permissions=OWN_BUT_NOT_CREATE,
    on_update=keep_place,
    before_delete=indexed_words.take_out,
    on_delete=_delete_chat,
    erases_text=True,
    open_to=("chat",),
)

AI_MESSAGES = Collection(
    name=journal.MESSAGES,
    model=Message,
    columns=(
        Column("chatId", attribute="chat_id", required=True, fixed=True),
        Column("userId", attribute="user_id", required=True, fixed=True),
        Column("role", attribute="role", required=True, fixed=True),
        Column("content", attribute="content", required=True, least=1),
        Column("parts", "array", "parts", fixed=True),
        Column("edited", "boolean", "edited", fixed=True),
    ),
    permissions=OWN_BUT_NOT_CREATE,
    group="chat_id",
    on_update=_edit,
    erases_text=True,
    open_to=("chat",),
)

# The numbers of a turn. They are kept when its chat is deleted.
AI_TURNS = Collection(
    name="ai-turns",
    model=Turn,
    record_id="turn_id",
    columns=(
        Column("userId", attribute="user_id", required=True, fixed=True),
        Column("chatId", attribute="chat_id", required=True, fixed=True, most=64),
        Column("userMessageId", attribute="user_message_id", required=True, fixed=True, most=128),
        Column("assistantMessageId", attribute="assistant_message_id", required=True, fixed=True),
        Column("modelId", attribute="model", required=True, fixed=True),
        Column("status", attribute="status", required=True, fixed=True),  # finished, aborted
        Column("reason", attribute="reason", fixed=True),  # of an aborted turn
        Column("finishReason", attribute="finish_reason", required=True, fixed=True),
        Column("steps", "integer", "steps", required=True, fixed=True),
        Column("usage", "object", "usage", required=True, fixed=True),
        Column("credits", "number", "charged", required=True, fixed=True),
        Column("durationMs", "integer", "duration_ms", required=True, fixed=True),
        Column("undoneAt", "datetime", "undone_at", fixed=True),
    ),
    permissions={EVERY_ROLE: {"read": "own"}},
    open_to=("chat",),
)

USERS = Collection(
    name="users",
    model=User,
    record_id="subject",
    owner="recordId",
    columns=(
        Column("role", attribute="role", fixed=True),
        Column("email", attribute="email", fixed=True),
        Column("name", attribute="name", fixed=True),
        Column("disabled", "boolean", "disabled", required=True, fixed=True),
    ),
    permissions={EVERY_ROLE: {"read": "own"}},
)

BUILT_IN = (AI_CHATS, AI_MESSAGES, AI_TURNS, USERS)
