"""Statements of PostgreSQL that are sent together: their answers, their errors, a lost server."""

import gevent
import psycopg
import pytest
from psycopg.pq import TransactionStatus
from sqlalchemy import bindparam, func, literal, literal_column, select, text
from sqlalchemy.exc import DBAPIError, IntegrityError, NotSupportedError

from service.auth import users
from service.database import pipeline
from service.database.access import core_transaction, is_outage
from service.database.postgresql import connect_alone
from service.database.prepared import Prepared, await_replies
from service.database.time_limits import time_limit
from service.extensions import db
from service.providers.events import ProviderError
from tests.services import wait_for

pytestmark = pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
ADD = Prepared(
    text(
        "INSERT INTO users (subject, disabled, created_at, updated_at)"
        " VALUES (:name, false, now(), now())"
    )
)
COUNT = Prepared(select(literal(1).label("n")).select_from(text("users")))
ECHO = Prepared(select(bindparam("value", type_=users.User.subject.type).label("value")))
SLEEP, NAP = Prepared(text("SELECT pg_sleep(:seconds)")), text("SELECT pg_sleep(2)")
KILL = Prepared(text("SELECT pg_terminate_backend(pg_backend_pid())"))


@pytest.fixture
def waits(monkeypatch):
    """The number of statements that went to the server at each wait, BEGIN and COMMIT included."""
    counts = []
    exchange = pipeline._exchange

    def counted(pgconn, replies, syncs):
        counts.append(sum(not reply.is_of_prepare for reply in replies))
        return exchange(pgconn, replies, syncs)

    monkeypatch.setattr(pipeline, "_exchange", counted)
    return counts


def names(app):
    with app.app_context(), db.engine.connect() as connection:
        return list(connection.scalars(text("SELECT subject FROM users ORDER BY seq")))


def transact(app, *steps):
    """One transaction of statements and their values, whose answers nobody reads."""
    with core_transaction(app) as session:
        for statement, values in steps:
            statement.send(session.connection(), values)


def added(name):
    return ADD, {"name": name}


def echoed(value):
    return ECHO, {"value": value}


def test_a_whole_transaction_goes_with_its_commit(app, waits):
    transact(app, added("a"), added("b"), added("c"))
    assert waits == [5]
    assert names(app) == ["a", "b", "c"]


def test_answers_belong_to_their_statements_in_any_order(app, waits):
    with core_transaction(app) as session:
        answers = [ECHO.send(session.connection(), {"value": str(n)}) for n in range(4)]
        assert [answers[n].row.value for n in (2, 0, 3, 1, 1)] == ["2", "0", "3", "1", "1"]
    assert waits == [5]


def test_what_was_sent_before_runs_before_other_statements(app):
    with core_transaction(app) as session:
        ADD.send(session.connection(), {"name": "a"})
        assert session.scalar(text("SELECT count(*) FROM users")) == 1
        ADD.send(session.connection(), {"name": "b"})
        with session.connection().begin_nested():
            assert len(COUNT.rows(session.connection(), {})) == 2


def test_an_error_comes_out_at_the_commit_and_names_its_statement(app):
    with pytest.raises(IntegrityError) as raised:
        transact(app, added("a"), added("a"), echoed("x"))
    assert ADD.is_refused_by(raised.value)
    assert not ECHO.is_refused_by(raised.value)
    assert not is_outage(raised.value)
    assert names(app) == []


def test_an_error_that_comes_out_at_another_kind_of_statement_names_its_own(app):
    with app.app_context(), db.engine.connect() as connection:
        connection.begin()
        for _ in range(2):
            ADD.send(connection, {"name": "a"})
        with pytest.raises(IntegrityError) as raised:
            connection.scalar(text("SELECT 1"))
    assert ADD.is_refused_by(raised.value)


def test_a_commit_that_is_refused_leaves_no_transaction_open(app):
    with app.app_context(), db.engine.connect() as connection:
        connection.begin()
        driver = connection.connection.dbapi_connection
        for _ in range(2):
            ADD.send(connection, {"name": "a"})
        with pytest.raises(IntegrityError):
            connection.commit()
        assert driver.info.transaction_status == TransactionStatus.IDLE
    transact(app, added("b"))
    assert names(app) == ["b"]


def test_what_was_asked_is_waited_for_on_demand(app, waits):
    with core_transaction(app) as session:
        ADD.send(session.connection(), {"name": "a"})
        await_replies(session.connection())
        assert waits == [3]


def test_an_answer_behind_a_refused_statement_is_an_error_too(app):
    with app.app_context(), db.engine.connect() as connection:
        connection.begin()
        for _ in range(2):
            ADD.send(connection, {"name": "a"})
        echo = ECHO.send(connection, {"value": "x"})
        with pytest.raises(IntegrityError) as raised:
            _ = echo.row
        assert ADD.is_refused_by(raised.value)
        with pytest.raises(DBAPIError, match="before it was refused"):
            _ = echo.row


def test_a_statement_that_cannot_be_prepared_is_tried_anew_each_time(app):
    wrong = Prepared(text("SELECT absent FROM users"))
    for _ in range(2):
        with pytest.raises(DBAPIError, match="absent") as raised:
            transact(app, added("a"), (wrong, {}), echoed("x"))
        assert wrong.is_refused_by(raised.value)
    transact(app, added("a"), echoed("x"))
    assert names(app) == ["a"]


def fail_after(app, *steps):
    with core_transaction(app) as session:
        for statement, values in steps:
            statement.send(session.connection(), values)
        raise ZeroDivisionError


def test_statements_stay_prepared_after_a_rollback(app):
    """psycopg would discard its own and all others, as soon as it has prepared one."""
    often = text("SELECT count(*) FROM users WHERE subject = :name")
    for _ in range(3):
        with app.app_context(), db.engine.connect() as connection:
            for _ in range(8):
                connection.execute(often, {"name": "a"})
            assert ECHO.row(connection, {"value": "x"}).value == "x"
            connection.rollback()


def test_a_statement_follows_its_table_when_that_is_made_anew(app):
    count = Prepared(select(func.count().label("n")).select_from(text("made_anew")))
    with app.app_context(), db.engine.connect() as connection:
        for times in range(8):
            connection.execute(text("CREATE TABLE made_anew (n int)"))
            connection.execute(text(f"INSERT INTO made_anew VALUES {', '.join(['(1)'] * 3)}"))
            assert count.row(connection, {}).n == 3, times
            connection.execute(text("DROP TABLE made_anew"))
            connection.commit()


def test_a_column_of_another_type_stops_no_connection_for_good(app):
    read = Prepared(select(literal_column("n").label("n")).select_from(text("retyped")))

    def number():
        with core_transaction(app) as session:
            return read.row(session.connection(), {}).n

    transact_text(app, "CREATE TABLE retyped AS SELECT 1::int AS n")
    assert number() == 1
    transact_text(app, "ALTER TABLE retyped ALTER n TYPE text")
    with pytest.raises(NotSupportedError):
        number()
    assert number() == "1"
    transact_text(app, "DROP TABLE retyped")


def transact_text(app, statement):
    with app.app_context(), db.engine.begin() as connection:
        connection.execute(text(statement))


def test_what_nobody_read_is_rolled_back_with_the_rest(app):
    with pytest.raises(ZeroDivisionError):
        fail_after(app, added("a"))
    assert names(app) == []


def test_a_value_that_the_driver_refuses_spoils_nothing(app):
    with core_transaction(app) as session:
        connection = session.connection()
        ADD.send(connection, {"name": "a"})
        with pytest.raises(DBAPIError, match="NUL") as raised:
            ECHO.send(connection, {"value": "\0"})
        assert not raised.value.connection_invalidated
        assert ECHO.row(connection, {"value": "é 🙂"}).value == "é 🙂"
    assert names(app) == ["a"]


def test_a_server_that_ends_the_connection_is_an_outage(app):
    with pytest.raises(DBAPIError) as raised:
        transact(app, added("a"), (KILL, {}), echoed("x"))
    assert raised.value.connection_invalidated
    assert is_outage(raised.value)
    assert names(app) == []


def test_a_statement_that_takes_too_long_is_ended_by_the_server(app):
    with pytest.raises(DBAPIError) as raised, time_limit(0.2):
        transact(app, added("a"), (SLEEP, {"seconds": 30}))
    assert SLEEP.is_refused_by(raised.value)
    assert isinstance(raised.value.orig, psycopg.errors.QueryCanceled)


@pytest.mark.parametrize("is_read", [True, False])
def test_a_greenlet_that_is_ended_while_it_waits_gives_its_connection_up(app, is_read):
    """The server still works for it, and what it says would be the answer to another statement."""
    used = []

    def sleep():
        with core_transaction(app) as session:
            used.append(session.connection().connection.dbapi_connection)
            answer = SLEEP.send(session.connection(), {"seconds": 10})
            if is_read:
                _ = answer.row

    sleeper = gevent.spawn(sleep)
    wait_for(lambda: used)
    gevent.sleep(0.3)
    sleeper.kill()
    assert used[0].closed
    transact(app, added("a"))
    assert names(app) == ["a"]


@pytest.mark.parametrize("is_behind", [True, False])
@pytest.mark.parametrize("by", [SLEEP.row, lambda connection, values: connection.execute(NAP)])
def test_what_is_thrown_into_a_greenlet_that_waits_comes_out_of_it(app, by, is_behind):
    """Not the error of a rollback on the connection that it has closed."""

    def sleep():
        with core_transaction(app) as session:
            if is_behind:
                ECHO.send(session.connection(), {"value": "sent together with it"})
            by(session.connection(), {"seconds": 2})

    def be_interrupted():
        with pytest.raises(ProviderError):
            sleep()

    sleeper = gevent.spawn(be_interrupted)
    gevent.sleep(0.3)
    sleeper.kill(ProviderError("slow"))
    sleeper.get()
    transact(app, added("a"))
    assert names(app) == ["a"]


def test_what_is_sent_without_waiting_is_done_and_its_answer_read_later(app):
    with app.app_context(), connect_alone(db.engine.url) as connection:
        insert = b"INSERT INTO users (subject, disabled, created_at, updated_at) "
        for name in "ab":
            connection.post(insert + b"VALUES ($1, false, now(), now())", [name])
            connection.flush()
        wait_for(lambda: names(app) == ["a", "b"])
        assert connection.post(b"SELECT $1", ["c"]).fetchall() == [("c",)]
        assert connection.execute("SELECT 1").fetchall() == [(1,)]


def test_an_error_of_what_was_sent_comes_out_at_the_next_answer(app):
    with app.app_context(), connect_alone(db.engine.url) as connection:
        connection.post(b"SELECT 1 / $1::int", [0])
        connection.flush()
        with pytest.raises(psycopg.errors.DivisionByZero):
            connection.post(b"SELECT $1", ["b"]).fetchall()
        assert connection.post(b"SELECT $1", ["c"]).fetchall() == [("c",)]


def test_more_than_the_network_takes_at_once_goes_both_ways(app):
    long = "x" * (4 << 20)
    with core_transaction(app) as session:
        answers = [ECHO.send(session.connection(), {"value": long}) for _ in range(5)]
        assert all(answer.row.value == long for answer in answers)
