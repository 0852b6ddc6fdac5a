"""Long chats to ask in, and a scripted model that counts the summaries it is asked for."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from flask import Flask
from sqlalchemy import insert, select

from service.chat.models import Message, Summary, Turn
from service.database.access import write_transaction
from service.extensions import db
from service.times import now
from tests import model_streams
from tests.people import Person
from tests.upstream import Answer, ScriptedUpstream, Seen

SAID = "word " * 140
SUMMARY = "The user has told that the harbour is blue."
ASKED = "Summarize this conversation:"
TIME = re.compile(r"\s*\[Added by the app: [^\n]*\]\Z")


def fill(app: Flask, person: Person, chat: str, count: int, **columns: Any) -> None:
    """Stored messages, question and answer in turn, as `old-0`, `old-1`, …"""
    at = now() - timedelta(days=1)
    rows = [
        {
            "record_id": f"old-{n}",
            "chat_id": chat,
            "user_id": person.subject,
            "role": ("user", "assistant")[n % 2],
            "content": SAID,
            "created_at": at + timedelta(seconds=n),
            "updated_at": at + timedelta(seconds=n),
            **columns,
        }
        for n in range(count)
    ]
    with app.app_context(), write_transaction() as session:
        session.execute(insert(Message), rows)


def summary_of(app: Flask, chat: str) -> Summary | None:
    with app.app_context():
        return db.session.get(Summary, chat)


def newest_turn(app: Flask) -> Turn:
    with app.app_context():
        return db.session.scalars(select(Turn).order_by(Turn.seq.desc())).first()


def texts(seen: Seen) -> list[str]:
    """What a request says, message by message, whichever wire it is of; but for the time."""
    said = (m["content"] for m in seen.json["messages"] if m["role"] != "system")
    joined = (
        c if isinstance(c, str) else " ".join(b.get("text", "") for b in c or ()) for c in said
    )
    return [TIME.sub("", text) for text in joined]


@dataclass
class Model:
    """Answers turns with `answers` in order, the last one again and again; summaries likewise."""

    upstream: ScriptedUpstream
    answers: list[Any] = field(default_factory=lambda: [text_answer("fine")])
    summaries: list[Any] = field(default_factory=lambda: [text_answer(SUMMARY)])
    turns: list[Seen] = field(default_factory=list)
    asked: list[Seen] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.upstream.answers = [self._answer]

    def _answer(self, seen: Seen) -> Answer:
        is_summary = texts(seen)[0].startswith(ASKED)
        (self.asked if is_summary else self.turns).append(seen)
        script = self.summaries if is_summary else self.answers
        answer = script.pop(0) if len(script) > 1 else script[0]
        return answer(seen) if callable(answer) else answer


def text_answer(text: str) -> Callable[[Seen], Answer]:
    def answer(seen: Seen) -> Answer:
        whole = model_streams.anthropic if "messages" in seen.path else model_streams.openai
        return Answer(whole(text))

    return answer
