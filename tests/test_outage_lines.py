"""An operator finds in the log why the database can't be used."""

import json
import sqlite3
from contextlib import ExitStack, closing

import gevent
import pytest
from sqlalchemy import text

from service.database import sqlite
from service.database.access import write_transaction
from service.extensions import db
from service.observing import attribution
from service.upkeep import sweeping
from tests.services import on_sqlite, wait_for

pytestmark = on_sqlite


@pytest.fixture
def locked(app, monkeypatch):
    """Another process writes, for longer than anybody waits for it."""
    monkeypatch.setattr(sqlite, "BUSY_SECONDS", 0.01)
    with app.app_context():
        path = db.engine.url.database
    with closing(sqlite3.connect(path)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield


@pytest.fixture
def reasons(capsys):
    def read(event):
        lines = map(json.loads, capsys.readouterr().err.splitlines())
        return [line["reason"] for line in lines if line["event"] == event]

    return read


def test_a_request_that_is_answered_503_is_logged_with_the_reason(alice, locked, reasons):
    assert alice.post("/api/records/notes", {"title": "t"}).status_code == 503
    assert reasons("database away") == ["the database can't be used: database is locked"]


def test_a_full_pool_is_not_told_as_a_database_that_is_away(app, alice, reasons, monkeypatch):
    """Its cure is another one."""
    with app.app_context():
        pool = db.engine.pool
    monkeypatch.setattr(pool, "_timeout", 0.01)
    with ExitStack() as taken, attribution.scope():
        attribution.begin()  # an earlier request's user may take only seven
        for _ in range(pool.size()):
            taken.enter_context(db_connection(app))
        assert alice.post("/api/records/notes", {"title": "t"}).status_code == 503
    [reason, *_] = reasons("database away")
    assert reason == "no connection of the pool became free"


def db_connection(app):
    with app.app_context():
        return db.engine.connect()


@pytest.fixture
def sweeper(app, monkeypatch):
    """What every worker does without any request."""
    monkeypatch.setattr(sweeping, "LOOK_SECONDS", 0.01)
    monkeypatch.setattr(app.extensions["lease_watch"], "look", sweeping.sweep)
    running = gevent.spawn(sweeping._sweep_at_intervals, app)
    yield
    running.kill()


def test_a_sweep_of_a_locked_database_says_why_it_failed(locked, sweeper, reasons):
    wait_for(lambda: "the database can't be used: database is locked" in reasons("not swept"))


def test_a_sweep_of_a_database_that_is_not_migrated_says_what_to_run(app, sweeper, reasons):
    with app.app_context(), write_transaction() as session:
        session.execute(text("DROP TABLE claims"))
        session.execute(text("UPDATE alembic_version SET version_num = '0001'"))
    wait_for(lambda: sweeping.NOT_MIGRATED in reasons("not swept"))
