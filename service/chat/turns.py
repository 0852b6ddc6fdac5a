"""`POST /api/ai/chat`: one turn, streamed. Source: specification, "Chat endpoints"."""

from typing import Any

from flask import Blueprint, Response, current_app, g
from marshmallow import EXCLUDE, Schema, fields, validate
from sqlalchemy import select

from service.chat import pump, sse
from service.chat.models import Chat, Message
from service.chat.question import Question
from service.edge import AtMost, Text, answers, body
from service.errors import Conflict, InvalidModel, NotConfigured, NotFound
from service.extensions import db
from service.ids import new_id
from service.providers.catalog import DEFAULT_MODEL
from service.providers.provider import Model

CONTENT_LIMIT = 100_000  # characters

turns = Blueprint("turns", __name__, url_prefix="/api/ai")


class TurnRequest(Schema):
    class Meta:
        unknown = EXCLUDE  # useChat sends keys of its own

    chatId = Text(required=True, validate=validate.Length(1, 128))
    userMessageId = Text(required=True, validate=validate.Length(1, 128))
    content = Text(required=True, validate=[validate.Length(1), AtMost(CONTENT_LIMIT)])
    modelId = Text(load_default=None, allow_none=True)


class ModelSchema(Schema):
    id = fields.String(required=True)
    provider = fields.String(required=True)
    configured = fields.Boolean(required=True)
    default = fields.Boolean(required=True)


class ModelsSchema(Schema):
    models = fields.List(fields.Nested(ModelSchema), required=True)


@turns.post("/chat")
@body(TurnRequest())
@answers(None, media_type="text/event-stream")
def answer(data: dict[str, Any]) -> Response:
    """Answer a user message; the reply is a stream of UI message chunks

    The rows of the turn are stored before the `finish` chunk. `X-Asst-Id` is the assistant
    row's id. Every refusal is plain JSON before the first byte of the stream.
    """
    question = _question(data)
    app = current_app._get_current_object()  # type: ignore[attr-defined]
    response = Response(pump.stream(app, question), headers=sse.HEADERS)
    response.headers["X-Asst-Id"] = question.assistant_message_id
    return response


@turns.get("/models")
@answers(ModelsSchema())
def models() -> dict[str, Any]:
    """The model ids that a turn may ask for"""
    known: dict[str, Model] = current_app.extensions["models"]
    return {
        "models": [
            {
                "id": model.id,
                "provider": model.provider.kind,
                "configured": model.provider.missing_setting is None,
                "default": model.id == DEFAULT_MODEL,
            }
            for model in known.values()
        ]
    }


def _question(data: dict[str, Any]) -> Question:
    """The checks in the contract's order: model id, chat, message id, provider."""
    model = _model(data["modelId"])
    _check_chat(data["chatId"])
    _check_message_id(data["userMessageId"])
    if model.provider.missing_setting:
        raise NotConfigured(model.provider.missing_setting)
    return Question(
        turn_id=new_id("turn"),
        chat_id=data["chatId"],
        caller=g.caller,
        user_message_id=data["userMessageId"],
        assistant_message_id=new_id("msg"),
        content=data["content"],
        model=model,
        request_id=g.request_id,
    )


def _model(model_id: str | None) -> Model:
    """Only the id's absence means the default. Raises `InvalidModel`."""
    known: dict[str, Model] = current_app.extensions["models"]
    model = known.get(DEFAULT_MODEL if model_id is None else model_id)
    if model is None:
        raise InvalidModel("There is no such model.", allowed=list(known))
    return model


def _check_chat(chat_id: str) -> None:
    owned = select(Chat.seq).where(Chat.record_id == chat_id, Chat.user_id == g.caller.subject)
    if db.session.scalar(owned) is None:
        raise NotFound()


def _check_message_id(message_id: str) -> None:
    used = select(Message.seq).where(
        Message.user_id == g.caller.subject, Message.record_id == message_id
    )
    if db.session.scalar(used) is not None:
        raise Conflict("This message id is already in use.")
