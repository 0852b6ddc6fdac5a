"""Creating, renaming and deleting chats. Reading them goes through the records.

Source: specification, "Chat endpoints"; contract section 4.
"""

from typing import Any

from flask import Blueprint, current_app, g
from marshmallow import Schema, fields, validate
from sqlalchemy import delete as delete_rows
from sqlalchemy import select
from sqlalchemy.orm import Session

from service.chat import claims
from service.chat.models import TITLE_LIMIT, Chat
from service.chat.running import Runs
from service.database import write_transaction
from service.edge import Text, answers, body
from service.errors import NotFound
from service.extensions import now, timestamp
from service.ids import new_id

chats = Blueprint("chats", __name__, url_prefix="/api/ai/chats")


class NewChat(Schema):
    title = Text(load_default="", validate=validate.Length(max=TITLE_LIMIT))


class Rename(Schema):
    title = Text(required=True, validate=validate.Length(1, TITLE_LIMIT))


class ChatSchema(Schema):
    recordId = fields.String(required=True)
    userId = fields.String(required=True)
    title = fields.String(required=True)
    createdAt = fields.AwareDateTime(required=True)
    updatedAt = fields.AwareDateTime(required=True)


class ChatAnswer(Schema):
    chat = fields.Nested(ChatSchema, required=True)


class Done(Schema):
    success = fields.Boolean(required=True)


@chats.post("")
@body(NewChat())
@answers(ChatAnswer(), 201)
def create(data: dict[str, Any]) -> dict[str, Any]:
    """Create a chat of the caller's own"""
    moment = now()
    chat = Chat(
        record_id=new_id("chat"),
        user_id=g.caller.subject,
        title=data["title"],
        created_at=moment,
        updated_at=moment,
    )
    with write_transaction() as session:
        session.add(chat)
    return {"chat": chat_record(chat)}


@chats.patch("/<chat_id>")
@body(Rename())
@answers(ChatAnswer())
def rename(data: dict[str, Any], chat_id: str) -> dict[str, Any]:
    """Rename a chat"""
    with write_transaction() as session:
        chat = check_owned(session, chat_id)
        chat.title, chat.updated_at = data["title"], now()
    return {"chat": chat_record(chat)}


@chats.delete("/<chat_id>")
@answers(Done())
def delete(chat_id: str) -> dict[str, Any]:
    """Delete a chat and all its messages"""
    with write_transaction() as session:
        chat = check_owned(session, chat_id)
        claims.request_end(session, chat_id, "deleted")
        session.execute(delete_rows(Chat).where(Chat.seq == chat.seq))
    runs: Runs = current_app.extensions["runs"]
    runs.interrupt_chat(chat_id, "deleted")
    return {"success": True}


def chat_record(chat: Chat) -> dict[str, Any]:
    """The flat chat record of the chat routes."""
    return {
        "recordId": chat.record_id,
        "userId": chat.user_id,
        "title": chat.title,
        "createdAt": timestamp(chat.created_at),
        "updatedAt": timestamp(chat.updated_at),
    }


def check_owned(session: Session, chat_id: str) -> Chat:
    """Raises `NotFound`, the same for what is absent and what is another's."""
    chat = session.scalar(
        select(Chat)
        .where(Chat.record_id == chat_id, Chat.user_id == g.caller.subject)
        .with_for_update()
    )
    if chat is None:
        raise NotFound()
    return chat
