"""Connections to PostgreSQL: which are asked whether they still work, and how they wait."""

import os
import signal

import gevent
import psycopg
import pytest
from sqlalchemy import text

from service.database import postgresql_wait
from service.database.prepared import reading
from service.extensions import db
from tests.services import wait_for

pytestmark = pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
WHO = text("SELECT pg_backend_pid()")


@pytest.fixture
def sent(monkeypatch):
    """What the driver has sent."""
    seen: list[str] = []
    execute = psycopg.Cursor.execute

    def noted(cursor, query, *rest, **options):
        seen.append(str(query))
        return execute(cursor, query, *rest, **options)

    monkeypatch.setattr(psycopg.Cursor, "execute", noted)
    return seen


def ask(app):
    with app.app_context(), db.engine.connect() as connection:
        return connection.scalar(WHO)


def test_a_transaction_of_a_suspended_worker_ends_within_fifteen_seconds(app):
    with app.app_context(), db.engine.connect() as connection:
        assert connection.scalar(text("SHOW idle_in_transaction_session_timeout")) == "15s"


def test_a_connection_that_has_just_answered_is_not_pinged(app, sent, monkeypatch):
    monkeypatch.setattr(postgresql_wait, "FRESH_SECONDS", 60)  # on a busy machine too
    assert ask(app)
    sent.clear()
    assert ask(app)
    assert len(sent) == 1
    monkeypatch.setattr(postgresql_wait, "FRESH_SECONDS", 0)
    sent.clear()
    assert ask(app)
    assert len(sent) == 2


def test_a_connection_that_the_server_has_just_closed_is_replaced(app, database_url):
    first = ask(app)
    address = database_url.replace("+psycopg", "")
    with psycopg.connect(address, autocommit=True) as other:
        other.execute("SELECT pg_terminate_backend(%s, 5000)", (first,))
    assert ask(app) != first


def test_an_answer_that_is_made_is_sent_though_the_server_ends_the_connection(
    app, alice, database_url
):
    """Its transaction is rolled back after the view, when nobody else can answer any more."""
    address = database_url.replace("+psycopg", "")

    @app.after_request
    def cut(response):
        with psycopg.connect(address, autocommit=True) as other:
            used = db.session.connection().connection.dbapi_connection.info.backend_pid
            other.execute("SELECT pg_terminate_backend(%s, 5000)", (used,))
        return response

    for _ in range(2):
        answer = alice.get("/api/credits")
        assert answer.status_code == 200, answer.text
    with app.app_context():
        assert db.engine.pool.checkedout() == 0


def test_other_greenlets_run_while_a_statement_does(app):
    ticks = gevent.spawn(lambda: [gevent.sleep(0.01) for _ in range(5)])
    with app.app_context(), db.engine.connect() as connection:
        connection.execute(text("SELECT pg_sleep(1)"))
    assert ticks.ready()


def test_a_statement_longer_than_the_network_takes_at_once_is_sent_whole(app):
    long = "x" * (32 << 20)
    with app.app_context(), db.engine.connect() as connection:
        assert connection.scalar(text("SELECT length(:text)"), {"text": long}) == len(long)


def test_a_single_read_begins_no_transaction_and_the_next_write_does(app):
    with app.app_context():
        with reading(app) as connection:
            assert connection.connection.dbapi_connection.autocommit
        with db.engine.begin() as connection:
            assert not connection.connection.dbapi_connection.autocommit


def test_an_interrupted_command_cancels_its_statement(app):
    def sleep():
        interrupted = pytest.raises(KeyboardInterrupt)
        with interrupted, app.app_context(), db.engine.connect() as connection:
            connection.execute(text("SELECT pg_sleep(30)"))

    def running():
        count = "SELECT count(*) FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(30)'"
        with app.app_context(), db.engine.connect() as connection:
            return connection.scalar(text(f"{count} AND state = 'active'"))

    command = gevent.spawn(sleep)
    wait_for(running)
    command.kill(KeyboardInterrupt)
    wait_for(lambda: not running())


def test_a_greenlet_that_is_ended_while_it_pings_ends(app):
    """What restores the connection after a ping would raise an error of its own."""
    with app.app_context(), db.engine.connect() as connection:
        driver = connection.connection.dbapi_connection
    driver.used_at = 0.0
    pid = driver.info.backend_pid
    os.kill(pid, signal.SIGSTOP)
    try:
        asking = gevent.spawn(ask, app)
        gevent.idle()  # it waits for the answer then, and its time limit is far away
        asking.kill()
    finally:
        os.kill(pid, signal.SIGCONT)
    assert isinstance(asking.value, gevent.GreenletExit)
    assert driver.closed
