"""What a long history costs a turn: deciding which messages are sent, and loading them.

The peers have nothing comparable, and no network is involved: it runs in this process.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from statistics import median
from typing import Any

from flask import Flask
from sqlalchemy import insert

from bench import figures
from bench.databases import Databases
from bench.figures import Figure
from bench.scenarios import Scenario
from service import create_app
from service.auth.models import User
from service.auth.users import Caller
from service.chat.history import recall
from service.chat.history.compaction import compact_history, history_of
from service.chat.history.limits import Limits
from service.chat.history.messages import StoredMessage
from service.chat.models import Chat, Message
from service.chat.question import Question
from service.database.access import write_transaction
from service.database.prepared import reading
from service.extensions import db
from service.providers.prompt import UserMessage
from service.times import now
from tests.services import settings_for

MESSAGES = 10_000
COVERED = (100, 10_000)  # messages that a summary stands for
RECENT = 40
TEXT = "word " * 60
LOADS = 20
MODEL = "llm-haiku-4-5"
NAME = "compaction"


@dataclass(frozen=True)
class CompactionResult:
    """Milliseconds; `loads` as `COVERED`, `whole` without a summary."""

    decision: float
    loads: list[float]
    whole: float


FIGURES = (
    Figure(NAME, "CPU ms, what to send of 10 000 messages", lambda r: r.decision),
    Figure(NAME, "ms, history loaded behind 100 summarised messages", lambda r: r.loads[0]),
    Figure(NAME, "… behind 10 000", lambda r: r.loads[1]),
    Figure(NAME, "… 10 000 without a summary", lambda r: r.whole),
)


def rows(count: int, databases: Databases) -> list[tuple[str, ...]]:
    """The rows of the table, from `count` rounds."""
    with _app(databases) as app:
        questions = [_chat(app, covered) for covered in COVERED]
        rounds = [{"service": _measure(app, questions)} for _ in range(count)]
    scenario = Scenario(NAME, MESSAGES, 0, 1, rounds=count, peers=("service",))
    return [figures.row(figure, scenario, rounds) for figure in FIGURES]


@contextmanager
def _app(databases: Databases) -> Iterator[Flask]:
    app = create_app(settings_for(databases.make("sqlite"), sandbox=0))
    yield app
    app.extensions["upstream"].close()
    with app.app_context():
        db.engine.dispose()


def _measure(app: Flask, questions: list[Question]) -> CompactionResult:
    return CompactionResult(
        decision=_timed(_decide, time.process_time),
        loads=[_loading(app, question, MODEL, RECENT) for question in questions],
        whole=_loading(app, questions[-1], "another model", COVERED[-1] + RECENT),
    )


def _timed(action: Callable[[], object], clock: Callable[[], float]) -> float:
    began = clock()
    action()
    return (clock() - began) * 1000


def _decide() -> None:
    stored = (StoredMessage(n, ("user", "assistant")[n % 2], TEXT) for n in range(MESSAGES))
    limits = Limits(budget=240_000, ceiling=180_000)
    history = history_of(stored, None, UserMessage("?"))
    assert compact_history(history, limits, lambda *_: None).messages


def _loading(app: Flask, question: Question, model: str, expected: int) -> float:
    def load() -> None:
        with reading(app) as connection:
            assert len(recall.load(connection, question, model).rows) == expected

    with app.app_context():
        return median(_timed(load, time.perf_counter) for _ in range(LOADS))


def _chat(app: Flask, covered: int) -> Question:
    """The next question of a new chat whose first `covered` messages are summarised."""
    chat, began = f"chat_{covered}", now() - timedelta(days=1)
    person, model = Caller(chat, "user"), app.extensions["models"][MODEL]
    question = Question("turn", chat, person, "u", "a", "?", model, "", "", 0)
    with app.app_context(), write_transaction() as session:
        session.execute(insert(User), [{"subject": chat}])
        session.execute(insert(Chat), [{"record_id": chat, "user_id": chat}])
        stored = [_message(chat, n, began) for n in range(covered + RECENT)]
        session.execute(insert(Message), stored)
    with reading(app) as connection:
        whole = recall.load(connection, question, MODEL)
    with app.app_context(), write_transaction() as session:
        recall.keep(session, chat, "A summary.", whole.cover_before(covered), MODEL)
    return question


def _message(chat: str, number: int, began: datetime) -> dict[str, Any]:
    at = began + timedelta(seconds=number)
    role = ("user", "assistant")[number % 2]
    fields = {"record_id": f"{chat}-{number}", "chat_id": chat, "user_id": chat}
    return {**fields, "role": role, "content": TEXT, "created_at": at, "updated_at": at}
