"""`/api/ai/search` and the export of a chat. Source: docs/contract.md, sections 4.7 and 4.9."""

from typing import Any, get_args

from flask import Blueprint, Response, g, stream_with_context
from marshmallow import Schema, fields, validate

from service.auth.bearer import open_to
from service.chat.finding import export, search
from service.chat.finding.search import FoundChat
from service.chat.finding.terms import Excerpt
from service.chat.views import ChatSchema, chat_record
from service.records.query import CURSOR_LIMIT
from service.times import timestamp
from service.web.edge import answers, query, refuses
from service.web.errors import Forbidden, NotFound, Unavailable
from service.web.fields import Digits, Text

QUESTION_LIMIT = 200  # characters

finding = Blueprint("finding", __name__, url_prefix="/api/ai")


class SearchQuery(Schema):
    q = Text(required=True, validate=validate.Length(1, QUESTION_LIMIT))
    limit = Digits(load_default=20, validate=validate.Range(1, 50))
    cursor = Text(load_default=None, validate=validate.Length(1, CURSOR_LIMIT))


class HitSchema(Schema):
    start = fields.Integer(required=True)
    end = fields.Integer(required=True)


class ExcerptSchema(Schema):
    text = fields.String(required=True)
    hits = fields.List(fields.Nested(HitSchema), required=True)


class FoundMessageSchema(Schema):
    recordId = fields.String(required=True)
    role = fields.String(required=True)
    createdAt = fields.AwareDateTime(required=True)
    snippet = fields.Nested(ExcerptSchema, required=True)


class FoundChatSchema(Schema):
    chat = fields.Nested(ChatSchema, required=True)
    title = fields.Nested(ExcerptSchema, required=True)
    message = fields.Nested(FoundMessageSchema, required=True, allow_none=True)


class FoundSchema(Schema):
    results = fields.List(fields.Nested(FoundChatSchema), required=True)
    nextCursor = fields.String(required=True, allow_none=True)


class ExportQuery(Schema):
    format = Text(load_default="markdown", validate=validate.OneOf(get_args(export.Format)))


@finding.get("/search")
@open_to("chat")
@query(SearchQuery())
@refuses(Forbidden, Unavailable)
@answers(FoundSchema())
def find(parameters: dict[str, Any]) -> dict[str, Any]:
    """Your chats whose title or a message has all words of `q`

    The last word may be the beginning of one. Chats found by their title come first; the others
    come with their newest matching message. `start` and `end` count characters (code points).
    """
    page = search.find(g.caller, parameters["q"], parameters["limit"], parameters["cursor"])
    return {"results": [_result(found) for found in page.found], "nextCursor": page.cursor}


def _result(found: FoundChat) -> dict[str, Any]:
    return {
        "chat": chat_record(found.chat),
        "title": _excerpt(found.title),
        "message": _message(found),
    }


def _message(found: FoundChat) -> dict[str, Any] | None:
    message = found.message
    if message is None:
        return None
    facts = {"role": message.role, "createdAt": timestamp(message.created_at)}
    return {"recordId": message.record_id, **facts, "snippet": _excerpt(message.snippet)}


def _excerpt(excerpt: Excerpt) -> dict[str, Any]:
    return {"text": excerpt.text, "hits": [{"start": a, "end": b} for a, b in excerpt.hits]}


@finding.get("/chats/<chat_id>/export")
@open_to("chat")
@query(ExportQuery())
@refuses(Forbidden, NotFound, Unavailable)
@answers(
    None,
    media_type=("text/markdown", "application/json"),
    answer_schema={"type": ["string", "object"]},
    gives={"Content-Disposition": {"schema": {"type": "string"}, "required": True}},
)
def export_chat(parameters: dict[str, Any], chat_id: str) -> Response:
    """A chat as a file: `markdown`, or `json` with every stored field"""
    form = parameters["format"]
    envelope, records = export.contents(g.caller, chat_id)
    chat = chat_record(envelope)
    pieces = (export.as_json if form == "json" else export.as_markdown)(chat, records)
    response = Response(stream_with_context(pieces), content_type=export.MEDIA_TYPES[form])
    response.headers["Content-Disposition"] = export.disposition(chat["title"], form)
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Cache-Control"] = "private, no-store"
    return response
