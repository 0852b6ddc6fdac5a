"""`POST /api/ai/chat`, which streams one turn; and the routes for stop, approvals and models.

Source: docs/contract.md, "Chat endpoints" and sections 4 and 5.
"""

from collections.abc import Iterator, Mapping
from typing import Any, get_args

from flask import Blueprint, Flask, Response, current_app, g
from marshmallow import EXCLUDE, Schema, ValidationError, fields, validate

from config import MODEL_NAMES
from service.app import PlainResponse
from service.app_keys import APP_SETTINGS
from service.auth.bearer import open_to
from service.billing.payer import PaidBy
from service.chat import claims
from service.chat.calling import approvals
from service.chat.calling.waits import WAITS
from service.chat.question import Question
from service.chat.stream import sse
from service.chat.stream.direct import direct_writer
from service.chat.turn import pump, reuse
from service.chat.turn.admission import Submission, admit
from service.chat.turn.over_limit import answer_without_ticket
from service.chat.turn.running import RUNS, Run
from service.chat.views import check_owned
from service.cleanup import OnFailure
from service.current_request import current_g, current_request, current_service
from service.database.access import write_transaction
from service.generation.completion import MODELS
from service.limits.concurrency import CONCURRENCY, Ticket
from service.observing import attribution
from service.providers.catalog import DEFAULT_MODEL
from service.web.edge import answers, body, refuses, without_body
from service.web.errors import (
    Conflict,
    Draining,
    InsufficientCredits,
    InvalidModel,
    NotConfigured,
    NotFound,
    RateLimited,
)
from service.web.fields import AtMost, Text, TimeZone

CONTENT_LIMIT = 100_000  # characters
WHOLE_CHAT = (
    "The server stores the chat: send only the new message. With useChat, let the transport's"
    " prepareSendMessagesRequest build chatId, userMessageId and content from it."
)

ASSISTANT_ID = {"X-Asst-Id": {"required": True, "schema": {"type": "string"}}}

turns = Blueprint("turns", __name__, url_prefix="/api/ai")


class TurnRequest(Schema):
    class Meta:
        unknown = EXCLUDE  # useChat sends keys of its own

    chatId = Text(required=True, validate=validate.Length(1, 128))
    userMessageId = Text(required=True, validate=validate.Length(1, 128))
    content = Text(required=True, validate=[validate.Length(1), AtMost(CONTENT_LIMIT)])
    modelId = Text(load_default=None, allow_none=True, metadata={"enum": [*MODEL_NAMES, None]})
    trigger = Text(load_default=None, allow_none=True)
    replaces = Text(load_default=None, allow_none=True, validate=validate.Length(1, 128))
    timeZone = TimeZone(load_default=None, allow_none=True, metadata={"example": "Europe/Berlin"})

    def handle_error(self, error: ValidationError, data: Any, **kwargs: Any) -> None:
        """Explain what to send, if the body is the one that an SDK's transport makes by itself."""
        if isinstance(data, Mapping) and "messages" in data and isinstance(error.messages, dict):
            error.messages["messages"] = [WHOLE_CHAT]


class ModelSchema(Schema):
    id = fields.String(required=True)
    provider = fields.String(required=True)
    configured = fields.Boolean(required=True)
    default = fields.Boolean(required=True)


class ModelsSchema(Schema):
    models = fields.List(fields.Nested(ModelSchema), required=True)


class DecisionSchema(Schema):
    decision = fields.String(required=True, validate=validate.OneOf(tuple(approvals.STATES)))


class ApprovalSchema(Schema):
    toolCallId = fields.String(required=True)
    endpoint = fields.String(required=True)
    summary = fields.String(required=True)
    body = fields.Dict(required=True)
    credits = fields.Float(required=True)
    payer = fields.String(required=True, validate=validate.OneOf(get_args(PaidBy)))
    expiresAt = fields.AwareDateTime(required=True)
    state = fields.String(required=True, validate=validate.OneOf(approvals.STATES.values()))


class StopSchema(Schema):
    stopped = fields.Boolean(required=True)


@turns.post("/chat")
@open_to("chat")
@body(TurnRequest())
@refuses(NotFound, InvalidModel, InsufficientCredits, Conflict, RateLimited)
@refuses(NotConfigured, Draining)
@answers(None, media_type="text/event-stream", gives=ASSISTANT_ID)
def answer(data: dict[str, Any]) -> Response:
    """Answer a user message; the reply is a stream of UI message chunks

    The rows of the turn are stored before the `finish` chunk. `X-Asst-Id` is the assistant
    row's id. Every refusal is plain JSON before the first byte of the stream.
    """
    app = current_service()
    attribution.bind(chat=data["chatId"])
    submission = _submission(data, current_g())
    try:
        ticket = CONCURRENCY.of(app).take("turns", submission.caller.subject)
    except RateLimited as refusal:
        return _replay_response(answer_without_ticket(app, submission, refusal))
    return _admit(app, submission, ticket)


def _admit(app: Flask, submission: Submission, ticket: Ticket) -> Response:
    """Return the stored answer or the stream of a new turn. Frees the ticket if no turn begins."""
    with OnFailure(ticket.free):
        admitted = admit(app, submission)
    if isinstance(admitted, reuse.StoredAnswer):
        ticket.give_back()
        return _replay_response(admitted)
    return _stream(app, admitted, ticket)


def _stream(app: Flask, question: Question, ticket: Ticket) -> Response:
    """Begin the turn of an admitted question. The turn frees the ticket."""
    # The client's connection, which shows when the client leaves; absent without gunicorn.
    environ = current_request().environ
    sock = environ.get("gunicorn.socket")
    attribution.bind(model=question.model.id, turn_id=question.turn_id)
    resume_seconds = APP_SETTINGS.of(app).resume_seconds
    run = Run(question, sock, resume_seconds, direct_writer(environ), ticket)
    pump.start(app, run)
    response = _response(question.assistant_message_id, run.reader.stream(run.leave))
    # Called even if the stream is never read: an unstarted generator runs no `finally`.
    response.call_on_close(run.leave)
    return response


@turns.post("/chat/<chat_id>/stop")
@open_to("chat")
@without_body
@answers(StopSchema())
def stop(chat_id: str) -> dict[str, bool]:
    """Stop the replies that are running in a chat, in any worker"""
    with write_transaction() as session:
        check_owned(session, chat_id)
        stopped = claims.request_end(session, chat_id, "stop")
    RUNS.of(current_app).interrupt_chat(chat_id, "stop")
    return {"stopped": stopped}


@turns.post("/chat/<chat_id>/approvals/<call_id>")
@open_to("chat")
@body(DecisionSchema())
@refuses(NotFound, Conflict)
@answers(ApprovalSchema())
def approve(data: dict[str, Any], chat_id: str, call_id: str) -> dict[str, Any]:
    """Decide about a tool call that waits for the user

    `once` for this call, `chat` for every call of this endpoint in this chat for 24 hours, `deny`.
    """
    with write_transaction() as session:
        shown = approvals.decide(session, g.caller, chat_id, call_id, data["decision"])
    WAITS.of(current_app).wake(call_id)
    return shown


@turns.get("/models")
@open_to("chat")
@answers(ModelsSchema())
def models() -> dict[str, Any]:
    """The model ids that a turn may ask for"""
    by_id = MODELS.of(current_app)
    return {
        "models": [
            {
                "id": model.id,
                "provider": model.provider.kind,
                "configured": model.provider.missing_setting is None,
                "default": model.id == DEFAULT_MODEL,
            }
            for model in by_id.values()
        ]
    }


def _submission(data: dict[str, Any], known: Any) -> Submission:
    return Submission(
        caller=known.caller,
        chat_id=data["chatId"],
        user_message_id=data["userMessageId"],
        content=data["content"],
        model_id=data["modelId"],
        trigger=data["trigger"],
        replaces=data["replaces"],
        request_id=known.request_id,
        time_zone=data["timeZone"] or "UTC",
        token=known.token,
    )


def _response(assistant_message_id: str, stream: Iterator[bytes]) -> Response:
    response = PlainResponse(stream, headers=sse.HEADERS)
    response.headers["X-Asst-Id"] = assistant_message_id
    return response


def _replay_response(stored: reuse.StoredAnswer) -> Response:
    """Return a stored answer again. Limits of turns do not apply: it costs nothing."""
    return _response(stored.turn.assistant_message_id, _replay(stored))


def _replay(stored: reuse.StoredAnswer) -> Iterator[bytes]:
    yield sse.OPEN + b"".join(map(sse.encode, reuse.replay(stored))) + sse.DONE
