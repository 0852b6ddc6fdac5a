"""SQLite: a long write runs in a thread, and other requests go on meanwhile."""

import sqlite3
import threading
import time
from contextlib import closing

import gevent
import pytest
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError

from service.chat.finding import index
from service.chat.turn import replacement
from service.database import aside, checkpoints, commits
from service.database.access import write_transaction
from service.extensions import db
from service.records import outbox
from tests.chat.long_chats import fill
from tests.integrations.oauth.test_erased_users import erase
from tests.records.test_feed_reader import Listener
from tests.services import on_sqlite, wait_for

pytestmark = on_sqlite
MESSAGES = "/api/records/ai-messages"
NOTES = "/api/records/notes"
COUNT = 4
# As long as the words of a text of 1 MB take to be found in the index of the search.
SLOW = (
    "CREATE VIEW slow AS WITH RECURSIVE counted(n) AS"
    " (SELECT 1 UNION ALL SELECT n + 1 FROM counted LIMIT 400000) SELECT max(n) FROM counted",
    "CREATE TRIGGER slow_deletion AFTER DELETE ON messages BEGIN SELECT * FROM slow; END",
)


@pytest.fixture
def chat(app, alice, bob):
    """A chat whose deletion takes half a second or more."""
    chat = alice.new_chat()
    assert bob.get(NOTES).status_code == 200  # the first request of a user writes
    fill(app, alice, chat, COUNT)
    with app.app_context(), db.engine.begin() as connection:
        for statement in SLOW:
            connection.exec_driver_sql(statement)
    yield chat
    with app.app_context(), db.engine.begin() as connection:
        connection.exec_driver_sql("DROP TRIGGER slow_deletion")
        connection.exec_driver_sql("DROP VIEW slow")


def delete(alice, chat):
    return alice.delete(f"/api/ai/chats/{chat}")


def messages(alice):
    answer = alice.get(f"{MESSAGES}")
    return len(answer.json["records"])


def requests_beside(work, request):
    """What requests give from the beginning of `work` until its end."""
    running, given = gevent.spawn(work), []
    while not running.ready():
        given.append(request())
        gevent.sleep(0.005)
    return running.get(), given


def test_others_read_while_a_large_chat_is_deleted(alice, bob, chat):
    answer, given = requests_beside(lambda: delete(alice, chat), lambda: bob.get(NOTES).status_code)
    assert answer.status_code == 200
    assert set(given) == {200}
    assert len(given) > 5
    assert delete(alice, chat).status_code == 404


def test_others_read_while_a_user_is_erased(app, alice, bob, chat):
    report, given = requests_beside(lambda: erase(app), lambda: bob.get(NOTES).status_code)
    assert report
    assert set(given) == {200}
    assert len(given) > 5


def test_the_search_forgets_in_the_thread_what_was_deleted(app, alice, chat, monkeypatch):
    """To merge two parts of the index of a chat of 60 MB took more than a second."""
    assert delete(alice, chat).status_code == 200
    threads, attempt = set(), aside._try

    def noted(work):
        threads.add(threading.get_ident())
        return attempt(work)

    monkeypatch.setattr(aside, "_try", noted)
    with app.app_context():
        index.forget_deleted()
    assert threads
    assert threading.get_ident() not in threads


def test_others_read_while_an_edit_replaces_a_long_chat(alice, chat, monkeypatch):
    monkeypatch.setattr(replacement, "FEW", COUNT - 1)
    running, remove = [], replacement.remove

    def noted(*arguments):
        running.append(1)
        try:
            return remove(*arguments)
        finally:
            running.clear()

    monkeypatch.setattr(replacement, "remove", noted)
    _, given = requests_beside(
        lambda: alice.turn(chat, "hello", message_id="new", replaces="old-0"),
        lambda: (bool(running), messages(alice)),
    )
    assert given.count((True, COUNT)) > 5
    assert messages(alice) == 2


def test_a_reader_sees_the_whole_chat_or_nothing_of_it(alice, chat):
    _, given = requests_beside(lambda: delete(alice, chat), lambda: messages(alice))
    assert set(given) <= {COUNT, 0}
    assert messages(alice) == 0


def test_a_writer_waits_for_the_deletion_and_is_not_refused(alice, bob, chat):
    deleting = gevent.spawn(delete, alice, chat)
    gevent.sleep(0.05)
    assert not deleting.ready()
    assert bob.post(NOTES, {"title": "t"}).status_code == 201
    assert deleting.get(1).status_code == 200


def test_a_deletion_that_is_interrupted_changes_nothing(app, alice, chat):
    deleting = gevent.spawn(delete, alice, chat)
    gevent.sleep(0.1)
    began = time.monotonic()
    deleting.kill()
    assert time.monotonic() - began < 1
    assert messages(alice) == COUNT
    assert alice.post(NOTES, {"title": "t"}).status_code == 201
    assert delete(alice, chat).status_code == 200


def test_a_statement_that_is_interrupted_before_it_begins_is_interrupted_then(app, alice, chat):
    go_on = threading.Event()
    aside._thread().spawn(go_on.wait, 30)
    deleting = gevent.spawn(delete, alice, chat)
    gevent.sleep(0.05)
    for _ in range(2):  # nobody may go on with the connection before
        deleting.kill(block=False)
        gevent.sleep(0.1)
        assert not deleting.ready()
    go_on.set()
    deleting.join(10)
    assert deleting.ready()
    assert messages(alice) == COUNT


def test_an_interruption_behind_a_statement_ends_the_transaction(app, alice, chat, monkeypatch):
    """SQLite interrupts the rollback as well, as long as rows of a statement are not read."""
    go_on, attempt, kept = threading.Event(), aside._try, []

    def tell_late(work):
        error = attempt(work)
        kept.append(work)
        go_on.wait(30)
        return error

    monkeypatch.setattr(aside, "_try", tell_late)
    deleting = gevent.spawn(delete, alice, chat)
    wait_for(lambda: kept)
    deleting.kill(block=False)
    gevent.sleep(0.1)
    go_on.set()
    deleting.join(10)
    with app.app_context(), closing(sqlite3.connect(db.engine.url.database, timeout=0)) as other:
        other.execute("BEGIN IMMEDIATE")


def test_the_commits_of_a_connection_copy_a_long_log_again_afterwards(app):
    with app.app_context():
        with write_transaction(long=True):
            assert pages() == 0
        assert pages() == checkpoints.PAGES


def test_a_statement_that_is_refused_in_the_thread_raises_the_usual_error(app, alice):
    alice.new_chat()
    with app.app_context():
        with pytest.raises(IntegrityError), write_transaction(long=True) as session:
            session.execute(text("DELETE FROM users"))
        assert pages() == checkpoints.PAGES
    assert len(alice.get("/api/records/ai-chats").json["records"]) == 1


def pages():
    return db.session.connection().exec_driver_sql("PRAGMA wal_autocheckpoint").scalar()


def write(app, record_id):
    notes = app.extensions["collections"].get("notes")
    with app.app_context(), write_transaction(long=True) as session:
        row = outbox.change(notes, "alice", None, {"recordId": record_id, "data": {}})
        outbox.append(session.connection(), [row])


@pytest.mark.settings(sqlite_sync="")
def test_a_change_is_delivered_behind_the_sync_of_a_commit_in_the_thread(app, monkeypatch):
    """The feed may read it before the thread has told of the commit's end."""
    go_on, sync, ended, attempt = threading.Event(), commits._sync_data, [], aside._try
    syncs = []

    def tell_late(work):
        error = attempt(work)
        ended.append(time.sleep(0.3))
        return error

    monkeypatch.setattr(aside, "_try", tell_late)
    monkeypatch.setattr(
        commits, "_sync_data", lambda fd: syncs.append(1) or go_on.wait(30) and sync(fd)
    )
    listener = Listener(app)
    with app.app_context():
        app.extensions["feed"].join(listener)
    writer = gevent.spawn(write, app, "one")
    wait_for(lambda: ended and syncs)
    gevent.sleep(0.1)
    assert (listener.heard, writer.ready()) == ([], False)
    go_on.set()
    wait_for(lambda: listener.heard == ["one"])
    writer.get(10)
    app.extensions["feed"].leave(listener)
    assert len(syncs) == 1


def delete_users(session):
    """Their chats refer to none then, which the commit refuses."""
    session.execute(text("PRAGMA defer_foreign_keys=ON"))
    session.execute(text("DELETE FROM users"))


@pytest.mark.settings(sqlite_sync="")
def test_a_commit_in_the_thread_that_fails_leaves_nobody_waiting(app, alice, monkeypatch):
    alice.new_chat()
    syncs, waiting, run = app.extensions["commit_sync"], [], aside._run

    def read_meanwhile(cursor, work):
        waiting.append(gevent.spawn(syncs.wait_for_others))
        gevent.sleep(0.05)
        run(cursor, work)

    monkeypatch.setattr(aside, "_run", read_meanwhile)
    with app.app_context():
        with pytest.raises(IntegrityError), write_transaction(long=True) as session:
            delete_users(session)
        assert len(waiting) == 3
        assert len(gevent.joinall(waiting, 10)) == 3
        assert db.session.scalar(text("SELECT count(*) FROM chats")) == 1
