"""Create, rename, pin and delete chats. Chats are read through the records.

Source: docs/contract.md, "Chat endpoints" and section 4.
"""

from typing import Any

from flask import Blueprint, current_app, g, request
from marshmallow import Schema, ValidationError, fields, validate, validates, validates_schema
from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from service.auth.bearer import open_to
from service.chat.collections import AI_CHATS
from service.chat.models import TITLE_LIMIT, Chat
from service.chat.titles import wrong_title
from service.chat.turn.running import RUNS
from service.ids import new_id
from service.limits.rates import count
from service.records import creation, writes
from service.records.envelope import Envelope
from service.records.idempotency import IdempotentCreate
from service.records.versions import IF_MATCH, expected_version
from service.times import now
from service.web.edge import answers, body, idempotency_key, refuses, takes
from service.web.errors import Conflict, Forbidden, NotFound, RateLimited
from service.web.fields import JsonBoolean, Text

ONCE = "Requests with the same key create one chat in 24 hours."

chats = Blueprint("chats", __name__, url_prefix="/api/ai/chats")


class NewChat(Schema):
    title = Text(load_default="", allow_none=True, validate=validate.Length(max=TITLE_LIMIT))

    @validates("title")
    def _is_not_blank(self, title: str | None, **kwargs: Any) -> None:
        if wrong := wrong_title(title or ""):
            raise ValidationError(wrong)


class ChatChanges(Schema):
    class Meta:
        least = 1  # fields of a body

    title = Text(validate=validate.Length(1, TITLE_LIMIT))
    pinned = JsonBoolean()

    @validates_schema
    def _has_any(self, data: dict[str, Any], **kwargs: Any) -> None:
        if not data:
            raise ValidationError("Give a title, or pinned.", "title")


class ChatSchema(Schema):
    recordId = fields.String(required=True)
    userId = fields.String(required=True)
    title = fields.String(required=True)
    pinned = fields.Boolean()
    activeAt = fields.AwareDateTime()
    createdAt = fields.AwareDateTime(required=True)
    updatedAt = fields.AwareDateTime(required=True)


class ChatAnswer(Schema):
    chat = fields.Nested(ChatSchema, required=True)


class Done(Schema):
    success = fields.Boolean(required=True)


@chats.post("")
@open_to("chat")
@body(NewChat())
@takes(Idempotency_Key=ONCE)
@refuses(NotFound, Conflict, RateLimited)
@answers(ChatAnswer(), 201)
def create(data: dict[str, Any]) -> dict[str, Any]:
    """Create a chat of the caller's own; `GET /api/records/ai-chats` lists them

    A request repeated within 24 hours with the same `Idempotency-Key` and title creates no second
    chat; the answer is the first one as it is now.
    """
    count("records", g.caller.subject)
    moment, title = now(), data["title"] or ""
    chat = Chat(
        record_id=new_id("chat"),
        user_id=g.caller.subject,
        title=title,
        created_at=moment,
        updated_at=moment,
    )
    key = idempotency_key()
    values = {"title": title}
    repeatable = IdempotentCreate(chat.user_id, AI_CHATS.name, key, values) if key else None
    return {"chat": chat_record(creation.create_row(AI_CHATS, chat, repeatable))}


@chats.patch("/<chat_id>")
@open_to("chat")
@body(ChatChanges())
@takes(If_Match=IF_MATCH)
@refuses(Forbidden, Conflict)
@answers(ChatAnswer())
def change(data: dict[str, Any], chat_id: str) -> dict[str, Any]:
    """Rename a chat, pin it or unpin it

    With `If-Match: <updatedAt>`, a chat that has been changed since is not changed (409).
    """
    version = expected_version(request.headers)
    return {"chat": chat_record(writes.update(AI_CHATS, g.caller, chat_id, data, version))}


@chats.delete("/<chat_id>")
@open_to("chat")
@takes(If_Match=IF_MATCH)
@refuses(Forbidden, Conflict)
@answers(Done())
def delete(chat_id: str) -> dict[str, Any]:
    """Delete a chat and all its messages

    With `If-Match: <updatedAt>`, a chat that has been changed since is not deleted (409).
    """
    writes.delete(AI_CHATS, g.caller, chat_id, expected_version(request.headers))
    RUNS.of(current_app).interrupt_chat(chat_id, "deleted")
    return {"success": True}


def chat_record(record: Envelope) -> dict[str, Any]:
    """Return the flat chat record of the chat routes."""
    times = {"createdAt": record["createdAt"], "updatedAt": record["updatedAt"]}
    return {"recordId": record["recordId"], **record["data"], **times}


def check_owned(session: Session, chat_id: str) -> None:
    """Lock the caller's chat. Raises `NotFound`, also for another user's chat."""
    if session.scalar(_select_own(chat_id).with_for_update()) is None:
        raise NotFound()


def _select_own(chat_id: str) -> Select[Chat]:
    return select(Chat).where(Chat.record_id == chat_id, Chat.user_id == g.caller.subject)
