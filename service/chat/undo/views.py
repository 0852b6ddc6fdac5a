"""The routes of the journal, and of undoing a turn.

Source: docs/contract.md, sections 5.13, 7.14 and 15.2.
"""

from typing import Any

from flask import Blueprint, current_app, g
from marshmallow import Schema, fields, validate

from service.chat import journal
from service.chat.undo.undo import undo
from service.records.collection import APP_COLLECTIONS
from service.web.edge import answers, query, refuses, without_body
from service.web.errors import Conflict, NotFound
from service.web.fields import Digits, Text, page_limit

changes = Blueprint("changes", __name__, url_prefix="/api/ai")


class JournalQuery(Schema):
    limit = page_limit()
    cursor = Digits(load_default=None, validate=validate.Range(1, 2**63 - 1))
    turnId = Text(load_default=None, validate=validate.Length(1, 64))


class JournalEntrySchema(Schema):
    turnId = fields.String(required=True)
    tool = fields.String(required=True)
    collection = fields.String(required=True)
    recordId = fields.String(required=True)
    outcome = fields.String(required=True)
    before = fields.Dict(required=True, allow_none=True)
    changes = fields.Dict(required=True, allow_none=True)
    undone = fields.Boolean(required=True)
    createdAt = fields.AwareDateTime(required=True)


class JournalSchema(Schema):
    entries = fields.List(fields.Nested(JournalEntrySchema), required=True)
    nextCursor = fields.String(required=True, allow_none=True)


@changes.get("/journal")
@query(JournalQuery())
@answers(JournalSchema())
def read_journal(parameters: dict[str, Any]) -> dict[str, Any]:
    """What the assistant has changed for the caller, newest first

    `before` is the record as it was, and `changes` are the columns that were written, with their
    new values, both for 30 days and until the chat is deleted. `undone` says whether the turn's
    changes have been taken back. With `turnId`, only the changes of one turn.
    """
    collections = APP_COLLECTIONS.of(current_app)
    entries, following = journal.page(
        g.caller, collections, parameters["limit"], parameters["cursor"], parameters["turnId"]
    )
    return {"entries": entries, "nextCursor": str(following) if following else None}


class UndoneRecordSchema(Schema):
    collection = fields.String(required=True)
    recordId = fields.String(required=True)


class UndoConflictSchema(UndoneRecordSchema):
    reason = fields.String(required=True)


class UndoSchema(Schema):
    undone = fields.List(fields.Nested(UndoneRecordSchema), required=True)
    conflicts = fields.List(fields.Nested(UndoConflictSchema), required=True)


@changes.post("/turns/<turn_id>/undo")
@without_body
@refuses(NotFound, Conflict)
@answers(UndoSchema())
def undo_turn(turn_id: str) -> dict[str, Any]:
    """Take back what the tools of a turn have done to records

    `undone` are the records that are as they were before the turn. `conflicts` are those that have
    been changed since, that the caller may not change now, or whose earlier state is not stored any
    more, and calls of endpoints; each has a `reason`. A turn can be undone once.
    """
    return undo(g.caller, turn_id, APP_COLLECTIONS.of(current_app))
