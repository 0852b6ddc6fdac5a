"""Snapshots of sockets count among the pages that a worker reads at once."""

import json
import socket
import threading
import uuid

import gevent
import pytest
from sqlalchemy import insert, select

from service.database import commits
from service.extensions import db
from service.limits import page_turns
from service.records.models import Record
from service.records.socket_operations import answer
from tests.app_database import execute_write, rows
from tests.limits.page_queue import all_pages_of_a_worker
from tests.services import on_sqlite, wait_for

SUBSCRIBE = json.dumps({"op": "subscribe", "id": "s", "collection": "notes"})


@pytest.fixture
def session(board):
    """A session of alice without subscriptions."""
    session = board.session()
    board.audiences.leave(session)
    return session


def subscribe(app, session):
    """Subscribe with a snapshot, in a greenlet."""

    def ask():
        with app.app_context():
            answer(session, app.extensions["collections"], SUBSCRIBE)

    return gevent.spawn(ask)


def connections_in_use(app):
    with app.app_context():
        return db.engine.pool.checkedout()


def test_snapshots_leave_connections_for_other_requests(app, board, session, bob):
    with all_pages_of_a_worker(app) as turns:
        asking = subscribe(app, session)
        wait_for(lambda: turns.linkcount() > 0)
        assert (connections_in_use(app), board.read(session)) == (0, b"")
        assert bob.get(f"/api/records/ai-chats/{bob.new_chat()}").status_code == 200
        assert not asking.ready()
    assert b'"type":"snapshot"' in board.read_until(session, asking)


@on_sqlite
def test_a_snapshot_does_not_wait_for_long_for_the_pages_of_others(
    app, board, session, monkeypatch
):
    monkeypatch.setattr(page_turns, "WAIT_SECONDS", 0.05)
    with all_pages_of_a_worker(app):
        refusal = board.read_until(session, subscribe(app, session))
    assert b'"error":"unavailable"' in refusal
    assert b'"type":"snapshot"' in board.read_until(session, subscribe(app, session))


@pytest.fixture
def many(app):
    """Two megabytes of alice's notes: more than the kernel buffers for a slow client."""
    note = {"title": "large", "text": "x" * 20_000}
    row = {"collection": "notes", "owner": "alice", "data": note}
    rows = [{**row, "record_id": uuid.uuid4().hex} for _ in range(100)]
    execute_write(app, insert(Record).values(rows))


@on_sqlite
def test_a_slow_reader_of_a_snapshot_keeps_no_page_from_others(app, board, session, many):
    asking, client = subscribe(app, session), board.clients[session]

    def begins():
        gevent.idle()
        try:
            return client.recv(1, socket.MSG_PEEK)
        except BlockingIOError:
            return b""

    wait_for(begins)
    with app.app_context():
        free = page_turns.of_all().counter
    assert (free, connections_in_use(app)) == (10 - page_turns.LEFT_BY_PAGES, 0)
    assert not asking.ready()
    assert len(board.read_until(session, asking)) > 2_000_000


@on_sqlite
@pytest.mark.settings(sqlite_sync="")
def test_a_snapshot_is_sent_when_its_records_are_on_the_disk(app, board, session, monkeypatch):
    """A power cut would otherwise undo them, and its cursor would skip new changes."""
    go_on, sync = threading.Event(), commits._sync_data
    monkeypatch.setattr(commits, "_sync_data", lambda fd: go_on.wait(30) and sync(fd))
    note = {"record_id": "new", "collection": "notes", "owner": "alice", "data": {"title": "new"}}
    writing = gevent.spawn(execute_write, app, insert(Record).values(note))
    wait_for(lambda: rows(app, select(Record.record_id)) == ["new"])
    asking = subscribe(app, session)
    gevent.sleep(0.2)
    assert (writing.ready(), board.read(session)) == (False, b"")
    go_on.set()
    assert b'"title":"new"' in board.read_until(session, asking)
    writing.get(timeout=20)
