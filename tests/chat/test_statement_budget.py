"""What a turn without tools asks of the database: its transactions, and the statements of each."""

import pytest
from sqlalchemy import event

from service.auth import users
from service.chat import worker_lease
from service.chat.turn import claim_watch
from service.database import pipeline
from service.extensions import db
from tests.people import types


@pytest.fixture
def transactions(app, monkeypatch):
    """Every transaction of the test as the list of its statements, those of savepoints included."""
    # These come with the time, not with a turn.
    monkeypatch.setattr(claim_watch, "LOOK_SECONDS", 60)
    monkeypatch.setattr(worker_lease, "RENEW_SECONDS", 60)
    monkeypatch.setattr(users, "RIGHTS_AGE", 60)
    seen: list[list[str]] = []

    def begin(_connection):
        seen.append([])

    def execute(_connection, _cursor, statement, *_rest):
        if statement != "BEGIN":
            seen[-1].append(statement)

    def savepoint(_connection, name):
        seen[-1].append(f"SAVEPOINT {name}")

    listeners = {"begin": begin, "before_cursor_execute": execute, "savepoint": savepoint}
    with app.app_context():
        engine = db.engine
    for name, listener in listeners.items():
        event.listen(engine, name, listener)
    yield seen
    for name, listener in listeners.items():
        event.remove(engine, name, listener)


def spent(alice, chat, transactions):
    """The number of statements in each transaction of one turn."""
    transactions.clear()
    assert types(alice.turn(chat, "hello"))[-1] == "finish"
    return [len(statements) for statements in transactions]


def test_what_a_turn_asks_of_the_database(alice, chat, transactions, database_url):
    """Beside its rows, PostgreSQL is asked to lock the chat's group and to wake the feed."""
    alice.turn(alice.new_chat(), "the worker's lease, the user's rights and account")
    rows = 9 if database_url.startswith("sqlite") else 11
    assert spent(alice, chat, transactions) == [5, rows]
    assert spent(alice, chat, transactions) == [5, 3, rows]


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_how_often_a_turn_waits_for_postgresql(alice, chat, transactions, monkeypatch):
    """Once for its user's ticket, three times to let it in and twice to store it."""
    alice.turn(alice.new_chat(), "the worker's lease, the user's rights and account")
    waits, exchange = [], pipeline._exchange

    def noted(pgconn, replies, syncs):
        waits.append([reply.text for reply in replies])
        return exchange(pgconn, replies, syncs)

    monkeypatch.setattr(pipeline, "_exchange", noted)
    spent(alice, chat, transactions)
    assert len(waits) == 6, waits
