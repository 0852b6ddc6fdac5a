"""Search over the caller's chats: those whose title or a message has all terms of a question.

Chats found by their title come first, the newest first. The others follow, ordered by their newest
message that has all terms.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from sqlalchemy import func, not_, select

from service.auth.users import Caller, current_role
from service.chat.collections import AI_CHATS, AI_MESSAGES
from service.chat.finding.index import has_terms
from service.chat.finding.terms import Excerpt, Terms, excerpt, parse
from service.chat.models import Chat, Message
from service.extensions import db
from service.fairness import let_others_run
from service.limits.page_turns import page_turn
from service.records.envelope import Envelope, envelope
from service.records.query import INVALID_CURSOR, decode_cursor, encode_cursor
from service.records.store import owned_by, select_visible
from service.records.values import invalid

Place = Literal["title", "message"]  # where the terms were found
# Without the parts: the tool results in one page of them may have a hundred megabytes.
SHOWN_COLUMNS = (Message.seq, Message.record_id, Message.role, Message.created_at, Message.content)


@dataclass(frozen=True)
class FoundMessage:
    record_id: str
    role: str
    created_at: datetime
    snippet: Excerpt


@dataclass(frozen=True)
class FoundChat:
    """A chat, with its newest matching message if the title does not match."""

    chat: Envelope
    title: Excerpt
    message: FoundMessage | None
    place: Place
    seq: int  # of the chat, or of the message


@dataclass(frozen=True)
class Page:
    found: list[FoundChat]
    cursor: str | None


def find(caller: Caller, question: str, limit: int, cursor: str | None = None) -> Page:
    """Return a page of results. Raises `Forbidden`, `InvalidRequest`, `Unavailable`.

    It waits while other pages of the same user are read, because a search through many messages
    takes as long as such a page.
    """
    with page_turn(caller.subject):
        return _find(caller, question, limit, cursor)


def _find(caller: Caller, question: str, limit: int, cursor: str | None) -> Page:
    search = _Search(caller, parse(question))
    place: Place = "title"
    before: int | None = None
    if cursor:
        place, before = _decode(cursor, question)
    found = list(search.chats(place, before, limit + 1)) if search.terms else []
    db.session.commit()
    page, more = found[:limit], len(found) > limit
    last = encode_cursor([question, page[-1].place, page[-1].seq]) if more else None
    return Page(page, last)


def _decode(cursor: str, question: str) -> tuple[Place, int]:
    match decode_cursor(cursor):
        case [str(asked), "title" | "message" as place, int(seq)] if asked == question:
            if 0 < seq < 2**63 and not isinstance(seq, bool):
                return place, seq
    raise invalid("cursor", INVALID_CURSOR)


class _Search:
    def __init__(self, caller: Caller, terms: Terms) -> None:
        self.terms = terms
        self._role = current_role(caller)
        self._chats = select_visible(AI_CHATS, caller, self._role, "read")
        self._chats = self._chats.where(owned_by(AI_CHATS, caller.subject))
        self._messages = select_visible(AI_MESSAGES, caller, self._role, "read")
        self._messages = self._messages.where(owned_by(AI_MESSAGES, caller.subject))
        if terms:
            self._in_title = has_terms(Chat, terms, caller.subject)
            self._in_message = has_terms(Message, terms, caller.subject)

    def chats(self, place: Place, before: int | None, limit: int) -> Iterator[FoundChat]:
        """Yield the next chats after the row `before`."""
        count = 0
        if place == "title":
            for found in self._by_title(before, limit):
                count += 1
                yield found
            before = None
        if count < limit:
            yield from self._by_message(before, limit - count)

    def _by_title(self, before: int | None, limit: int) -> Iterator[FoundChat]:
        chats = self._chats.where(self._in_title)
        if before is not None:
            chats = chats.where(Chat.seq < before)
        for chat in db.session.scalars(chats.order_by(Chat.seq.desc()).limit(limit)):
            title = Excerpt(chat.title, list(self.terms.hits(chat.title)))
            yield FoundChat(self._envelope(chat), title, None, "title", chat.seq)

    def _by_message(self, before: int | None, limit: int) -> Iterator[FoundChat]:
        newest = func.max(Message.seq)
        titled = self._chats.where(self._in_title).with_only_columns(Chat.record_id)
        matching = self._messages.where(self._in_message, not_(Message.chat_id.in_(titled)))
        matching = matching.with_only_columns(newest.label("seq")).group_by(Message.chat_id)
        if before is not None:
            matching = matching.having(newest < before)
        hits = matching.order_by(newest.desc()).limit(limit).subquery()
        rows = select(*SHOWN_COLUMNS, Chat).join(hits, Message.seq == hits.c.seq)
        rows = rows.join(Chat, Chat.record_id == Message.chat_id).order_by(Message.seq.desc())
        for seq, record_id, role, created_at, content, chat in db.session.execute(rows):
            message = FoundMessage(record_id, role, created_at, excerpt(content, self.terms))
            title = Excerpt(chat.title, [])
            let_others_run()  # an excerpt of 100,000 characters can take 40 ms
            yield FoundChat(self._envelope(chat), title, message, "message", seq)

    def _envelope(self, chat: Chat) -> Envelope:
        return envelope(AI_CHATS, chat, self._role)
