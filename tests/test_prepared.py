"""Statements that are sent by the driver's cursor behave as SQLAlchemy's own."""

import gc
import weakref
from contextlib import closing, suppress
from datetime import UTC, datetime

import pytest
from sqlalchemy import bindparam, event, func, insert, literal, select, text, update
from sqlalchemy.exc import DBAPIError, IntegrityError, OperationalError

from service.auth import users
from service.chat.models import Chat, Message
from service.database import upsert
from service.database.access import core_transaction, is_outage
from service.database.kept_transaction import has_begun
from service.database.prepared import Prepared
from service.database.time_limits import time_limit
from service.extensions import db, table
from tests.services import on_sqlite

MOMENT = datetime(2026, 11, 23, 8, 0, 0, 123456, tzinfo=UTC)
CHATS, MESSAGES = table(Chat), table(Message)
ADD_CHAT, ADD_MESSAGE = Prepared(insert(CHATS).inline()), Prepared(insert(MESSAGES).inline())
FIND = select(MESSAGES).where(MESSAGES.c.chat_id == bindparam("chat")).order_by(MESSAGES.c.seq)
FIND_PREPARED = Prepared(FIND)
RENAME = Prepared(
    update(CHATS).where(CHATS.c.record_id == bindparam("chat")).values(title=bindparam("name"))
)


def message(number, **values):
    given = {"chat_id": "c", "user_id": "alice", "role": "user", "content": "é 🙂", "edited": None}
    times = {"created_at": MOMENT, "updated_at": MOMENT}
    return {"record_id": f"m{number}", "parts": [{"type": "text"}], **given, **times, **values}


@pytest.fixture
def session(app):
    with app.app_context():
        users.enrol("alice")
    with core_transaction(app) as session:
        times = {"created_at": MOMENT, "updated_at": MOMENT}
        ADD_CHAT.run(session.connection(), {"record_id": "c", "user_id": "alice", **times})
        yield session


def test_values_of_every_type_come_back_as_sqlalchemy_reads_them(session):
    connection = session.connection()
    ADD_MESSAGE.send_many(connection, [message(1), message(2, parts=None, edited=True)])
    as_usual = [row._asdict() for row in connection.execute(FIND, {"chat": "c"})]
    assert [row._asdict() for row in FIND_PREPARED.rows(connection, {"chat": "c"})] == as_usual
    assert [row["parts"] for row in as_usual] == [[{"type": "text"}], None]
    assert (as_usual[0]["created_at"], as_usual[1]["edited"]) == (MOMENT, True)


@pytest.mark.parametrize("count", [1, 2, 25])
def test_any_number_of_rows_is_inserted_in_their_order(session, statements, count):
    rows = [message(number, content=f"100 % of {number} %(role)s") for number in range(count)]
    ADD_MESSAGE.send_many(session.connection(), rows)
    assert len(statements) == 1
    found = FIND_PREPARED.rows(session.connection(), {"chat": "c"})
    assert [(row.record_id, row.content) for row in found] == [
        (row["record_id"], row["content"]) for row in rows
    ]


def test_several_rows_that_may_meet_others_are_inserted_one_by_one(session):
    connection = session.connection()
    new = upsert.insert(connection.dialect.name, MESSAGES).inline()
    lower = {"content": func.lower(new.excluded.content)}
    keys = [MESSAGES.c.user_id, MESSAGES.c.record_id]
    add = Prepared(new.on_conflict_do_update(index_elements=keys, set_=lower))
    add.send_many(connection, [message(1, content="A"), message(1, content="B"), message(2)])
    found = FIND_PREPARED.rows(connection, {"chat": "c"})
    assert [(row.record_id, row.content) for row in found] == [("m1", "b"), ("m2", "é 🙂")]


def test_a_default_is_used_and_changed_rows_are_counted(session):
    connection = session.connection()
    titled = Prepared(select(CHATS.c.title).where(CHATS.c.record_id == bindparam("chat")))
    assert titled.row(connection, {"chat": "c"}).title == ""
    assert RENAME.run(connection, {"chat": "c", "name": "new"}) == 1
    assert RENAME.run(connection, {"chat": "absent", "name": "new"}) == 0
    assert titled.row(connection, {"chat": "c"}).title == "new"
    assert titled.row(connection, {"chat": "absent"}) is None


def test_an_error_is_one_of_sqlalchemy_and_repeats_no_value(session):
    connection, value = session.connection(), message(1, content="secret-canary")
    ADD_MESSAGE.run(connection, value)
    with pytest.raises(IntegrityError) as raised, connection.begin_nested():
        ADD_MESSAGE.run(connection, value)
    assert "secret-canary" not in str(raised.value)


def end_and_read(app):
    with core_transaction(app) as session:
        connection = session.connection()
        pid = connection.scalar(text("SELECT pg_backend_pid()"))
        with app.app_context(), db.engine.begin() as other:
            other.execute(text(f"SELECT pg_terminate_backend({pid})"))
        FIND_PREPARED.rows(connection, {"chat": "c"})


def test_rows_are_read_one_at_a_time_as_sqlalchemy_reads_them(session):
    connection = session.connection()
    ADD_MESSAGE.send_many(connection, [message(1), message(2, parts=None)])
    rows = FIND_PREPARED.each(connection, {"chat": "c"})
    assert next(rows)._asdict() == connection.execute(FIND, {"chat": "c"}).first()._asdict()
    rows.close()
    assert [row.parts for row in FIND_PREPARED.each(connection, {"chat": "c"})][1] is None


@on_sqlite
def test_an_error_after_the_first_row_is_one_of_sqlalchemy(app):
    numbers = select(literal(1).label("n")).cte(recursive=True)
    numbers = numbers.union_all(select(numbers.c.n + 1).where(numbers.c.n < 10**9))
    with app.app_context(), time_limit(0.5), db.engine.connect() as connection:
        connection.begin()
        rows = Prepared(select(numbers.c.n)).each(connection, {})
        assert next(rows).n == 1
        with pytest.raises(OperationalError, match="interrupted"):
            list(rows)


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_a_connection_that_was_ended_is_replaced(app):
    with pytest.raises(DBAPIError) as raised:
        end_and_read(app)
    assert raised.value.connection_invalidated
    assert is_outage(raised.value)
    with core_transaction(app) as session:
        assert FIND_PREPARED.rows(session.connection(), {"chat": "c"}) == []


@on_sqlite
def test_a_statement_outside_of_a_transaction_is_refused(app):
    """Nothing would begin one, nor set the time limit of its statements."""
    with app.app_context(), db.engine.connect() as connection, pytest.raises(AssertionError):
        FIND_PREPARED.rows(connection, {"chat": "c"})


@on_sqlite
def test_a_transaction_that_reads_sees_one_state(app):
    with app.app_context(), db.engine.connect() as connection:
        connection.begin()
        count = Prepared(select(func.count().label("users")).select_from(table(users.User)))
        before = count.row(connection, {}).users
        users.enrol("bob")
        assert count.row(connection, {}).users == before
        connection.commit()
        connection.begin()
        assert count.row(connection, {}).users == before + 1


@on_sqlite
def test_listeners_hear_of_it_before_it_is_sent(app, session):
    heard = []

    def refuse(_connection, _cursor, statement, *_rest):
        heard.append(statement)
        raise OperationalError(statement, {}, Exception("refused"))

    with app.app_context():
        engine = db.engine
    event.listen(engine, "before_cursor_execute", refuse)
    try:
        with pytest.raises(OperationalError, match="refused"):
            RENAME.run(session.connection(), {"chat": "c", "name": "new"})
    finally:
        event.remove(engine, "before_cursor_execute", refuse)
    assert heard[0].startswith("UPDATE chats")


class Values(dict):
    """Parameters that a weak reference can be made to."""


@pytest.fixture
def uncollected():
    """The garbage collector frees nothing: what it would have to free stays for long."""
    gc.disable()
    yield
    gc.enable()


@pytest.mark.parametrize("ending", [GeneratorExit, RuntimeError])
def test_a_read_that_ends_early_keeps_nothing(session, uncollected, ending):
    connection, values = session.connection(), Values(chat="c")
    ADD_MESSAGE.send_many(connection, [message(1), message(2)])
    rows = FIND_PREPARED.each(connection, values)
    assert next(rows).record_id == "m1"
    with suppress(ending):
        rows.throw(ending())
    kept = weakref.ref(values)
    del rows, values
    assert kept() is None


def test_a_read_that_ends_early_has_not_failed(session):
    """What fails makes the transaction one of SQLAlchemy's, which takes longer."""
    connection = session.connection()
    ADD_MESSAGE.send_many(connection, [message(1), message(2)])
    with closing(FIND_PREPARED.each(connection, {"chat": "c"})) as rows:
        assert next(rows).record_id == "m1"
    assert has_begun(connection)
