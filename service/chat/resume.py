"""`GET /api/ai/chat/<id>/stream`: read the running turn of a chat once more, or as another reader.

Source: docs/contract.md, section 15.3.
"""

import re
import time
from functools import partial
from typing import Any

import gevent
from flask import Blueprint, Response, current_app, g, request
from sqlalchemy import bindparam, select

from service.app_keys import APP_SETTINGS
from service.auth.bearer import open_to
from service.auth.users import Caller
from service.chat import claims
from service.chat.models import Turn
from service.chat.relay import publications
from service.chat.relay.publisher import PUBLISH_SECONDS
from service.chat.relay.watchers import LOST_SECONDS, WATCHERS, Watcher, Watchers
from service.chat.stream import sse
from service.chat.stream.direct import direct_writer
from service.chat.turn.admission import check_chat
from service.extensions import db
from service.web.edge import answers, refuses, takes
from service.web.errors import InvalidRequest, RateLimited

POSITION = re.compile(r"(turn_[0-9a-f]{32}):([0-9]{1,9})")
HEADER = "Last-Event-ID"
REPLY_ID = {"X-Asst-Id": {"schema": {"type": "string"}}}
STORED_REPLY = select(Turn.assistant_message_id).where(Turn.turn_id == bindparam("turn"))

resume = Blueprint("resume", __name__, url_prefix="/api/ai")


@resume.get("/chat/<chat_id>/stream")
@open_to("chat")
@refuses(RateLimited)
@takes(Last_Event_ID="The id of the last event that was read; the stream goes on behind it.")
@answers(None, media_type="text/event-stream", others={204: {}}, gives=REPLY_ID)
def watch(chat_id: str) -> Response:
    """Read the running reply of a chat, from its first chunk or behind the last one read

    It may run in any worker. 204 if none runs. Each event has an id for `Last-Event-ID`. The
    metadata of the `start` chunk also has the question, as `userMessage` with `id` and `content`.
    `X-Asst-Id` is the assistant row's id; it is absent if the reply has ended and nothing of it is
    stored.
    """
    check_chat(g.caller, chat_id)
    watchers = WATCHERS.of(current_app)
    watcher = _watcher(watchers, g.caller, chat_id)
    if watcher is None:
        return _nothing_runs()
    watchers.add(watcher)
    leave = partial(watchers.remove, watcher)
    response = Response(watcher.stream(leave), headers=sse.HEADERS)
    if watcher.assistant_message_id:
        response.headers["X-Asst-Id"] = watcher.assistant_message_id
    # Called even if the stream is never read: an unstarted generator runs no `finally`.
    response.call_on_close(leave)
    return response


def _nothing_runs() -> Response:
    response = Response(status=204)
    del response.headers["Content-Type"]  # there is no content that could have a type
    return response


def _watcher(watchers: Watchers, caller: Caller, chat_id: str) -> Watcher | None:
    """Return a watcher of the turn that the client was reading, or of the newest running one."""
    turn_id, number = _position()
    sock: Any = request.environ.get("gunicorn.socket")
    watcher = partial(
        Watcher,
        chat_id,
        sock=sock,
        writer=direct_writer(request.environ),
        user_id=caller.subject,
    )
    running = claims.running(db.session(), caller.subject, chat_id)
    db.session.commit()
    if turn_id in running and watchers.can_read(turn_id):
        return watcher(turn_id, number, assistant_message_id=running[turn_id])
    if turn_id and _has_rest(caller, chat_id, turn_id, number):
        return watcher(turn_id, number, assistant_message_id=_stored_reply(turn_id))
    newest = next(filter(watchers.can_read, running), None)
    return watcher(newest, 0, assistant_message_id=running[newest]) if newest else None


def _stored_reply(turn_id: str) -> str | None:
    """Return the id of an ended turn's reply; None if nothing was stored."""
    found: str | None = db.session.scalar(STORED_REPLY, {"turn": turn_id})
    db.session.commit()
    return found


def _has_rest(caller: Caller, chat_id: str, turn_id: str, number: int) -> bool:
    """Return whether an ended turn has chunks after this number.

    Its end is published after its rows: a moment later, or seconds later if its worker is busy. So
    this waits.
    """
    deadline = time.monotonic() + LOST_SECONDS
    while True:
        last = publications.end_of(db.session(), caller.subject, chat_id, turn_id)
        may_come = last is None and _may_be_published(turn_id)
        db.session.commit()
        if not may_come or time.monotonic() >= deadline:
            return last is not None and last > number
        gevent.sleep(PUBLISH_SECONDS)


def _may_be_published(turn_id: str) -> bool:
    """Return whether the end of a turn that does not run may still be published."""
    if not APP_SETTINGS.of(current_app).resume_seconds:
        return False
    return not publications.is_over(db.session(), turn_id)


def _position() -> tuple[str, int]:
    """Return the turn id and the number in `Last-Event-ID`; an empty id if it is missing."""
    given = request.headers.get(HEADER, "")
    if not given:
        return "", 0
    found = POSITION.fullmatch(given)
    if not found:
        raise InvalidRequest(details={HEADER: ["Is not the id of an event of this stream."]})
    return found[1], int(found[2])
