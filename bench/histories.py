"""Long chats, written into the database, because turns would take minutes to make them."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from sqlalchemy import create_engine, insert, select, update

from service.chat.models import Chat, Message
from service.providers.tokens import bound
from service.times import now

TEXT = "word " * 40  # 200 characters, as people and models write in short messages


def write(database_url: str, chats: Sequence[str], count: int) -> None:
    """Write `count` messages into each chat, in turn of its user and of the assistant."""
    engine = create_engine(database_url)
    with engine.begin() as connection:
        owners = dict(connection.execute(select(Chat.record_id, Chat.user_id)).all())
        for chat in chats:
            rows = [_message(chat, owners[chat], number) for number in range(count)]
            connection.execute(insert(Message), rows)
            counted = update(Chat).where(Chat.record_id == chat)  # as by a last turn
            connection.execute(counted.values(history_tokens=count * bound(TEXT)))
    engine.dispose()


def _message(chat: str, owner: str, number: int) -> dict[str, Any]:
    at = now() - timedelta(days=1) + timedelta(seconds=number)
    return {
        "record_id": f"{chat}-{number}", "chat_id": chat, "user_id": owner,
        "role": ("user", "assistant")[number % 2], "content": TEXT,
        "created_at": at, "updated_at": at,
    }  # fmt: skip
