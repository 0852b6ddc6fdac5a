"""Deleting or replacing a large chat on SQLite: other requests go on and see no part of it."""

from contextlib import contextmanager

import gevent
import pytest
from flask_migrate import downgrade
from sqlalchemy import func, select, table, text

from service.chat import indexed_words
from service.chat.models import Message
from service.database.access import write_transaction
from service.extensions import db
from service.fairness import let_others_run
from service.upkeep.sweeping import sweep
from tests.chat.chat_searches import titles_found, write
from tests.query_plans import noting_whole_tables
from tests.services import on_sqlite, wait_for
from tests.user_erasure import erase

pytestmark = on_sqlite
MANY = 120  # messages of 20 KB
TEXT = " ".join(f"canary{number}" for number in range(2_000))


@pytest.fixture
def chat(app, alice):
    alice.new_chat("kept")
    large = alice.new_chat("large")
    write(app, large, *(f"{number} {TEXT}" for number in range(MANY)))
    return large


@pytest.fixture
def seen(app):
    """How many messages another greenlet has seen, each time that others ran."""
    with counting(app, Message.__table__) as counts:
        yield counts


@contextmanager
def counting(app, rows):
    """How many rows another greenlet sees in a table, each time that others run."""
    counts = []

    def look():
        while True:
            with app.app_context():
                counts.append(db.session.scalar(select(func.count()).select_from(rows)))
                db.session.commit()
            let_others_run()

    looking = gevent.spawn(look)
    wait_for(lambda: counts)
    counts.clear()
    yield counts
    looking.kill()


def check_index(app):
    """The words of the index are those of the messages."""
    with app.app_context(), write_transaction() as session:
        checked = "INSERT INTO search_messages (search_messages) VALUES ('integrity-check')"
        session.execute(text(checked))
        assert session.scalar(text("SELECT count(*) FROM search_unindexed")) == 0


def path_of(chat):
    return f"/api/ai/chats/{chat}"


def test_others_go_on_and_see_all_messages_or_none(app, alice, chat, seen):
    assert alice.delete(path_of(chat)).status_code == 200
    assert len(seen) >= 8
    assert set(seen) <= {MANY, 0}
    check_index(app)
    assert titles_found(alice, "canary7") == []


def test_others_go_on_while_a_user_with_many_chats_is_erased(app, alice, bob, seen):
    write(app, bob.new_chat("his"), "a raven", owner="bob")
    for _ in range(MANY // 6):
        write(app, alice.new_chat(), *(f"{number} {TEXT}" for number in range(6)))
    wait_for(lambda: seen and seen[-1] == MANY + 1)  # an earlier look may have taken until now
    seen.clear()
    erase(app)
    assert len(seen) >= 8
    assert set(seen) <= {MANY + 1, 1}
    check_index(app)
    assert titles_found(bob, "raven") == ["his"]


def test_others_go_on_while_an_answer_replaces_a_large_chat(app, alice, chat):
    [first, *_] = alice.records("ai-messages", where={"chatId": chat}, limit=1)
    with counting(app, table("search_unindexed")) as marks:
        alice.turn(chat, "repeat after me: raven", replaces=first["recordId"])
    assert len(set(marks)) >= 8
    assert [row["content"] for row in alice.rows(chat)] == ["repeat after me: raven", "raven"]
    assert titles_found(alice, "canary7") == []
    check_index(app)


def test_what_an_answer_does_not_replace_is_found_all_the_same(app, alice, chat):
    """The messages before, and those of another chat in between."""
    other = alice.new_chat("other")
    write(app, other, TEXT)
    write(app, chat, TEXT)
    of_chat = {"where": {"chatId": chat}, "limit": 200}
    middle = alice.records("ai-messages", **of_chat)[MANY // 2]["recordId"]
    alice.turn(chat, "repeat after me: raven", replaces=middle)
    assert len(alice.records("ai-messages", **of_chat)) == MANY // 2 + 2
    assert sorted(titles_found(alice, "canary7")) == ["large", "other"]
    check_index(app)


def test_few_words_are_replaced_at_once(app, alice):
    chat = alice.new_chat()
    alice.turn(chat, "repeat after me: one", userMessageId="one")
    with counting(app, table("search_unindexed")) as marks:
        alice.turn(chat, "repeat after me: uno", replaces="one")
    assert set(marks) == {0}


def forget_words(app, chat):
    """What a worker has done that is killed just before the deletion."""
    with app.app_context():
        indexed_words.take_out(chat)


def sweep_later(app, monkeypatch):
    monkeypatch.setattr(indexed_words, "DELETION_SECONDS", 0.0)
    with app.app_context():
        sweep()


def test_a_chat_whose_deletion_was_killed_is_all_there_and_found_again(
    app, alice, chat, monkeypatch
):
    forget_words(app, chat)
    assert len(alice.records("ai-messages", where={"chatId": chat}, limit=200)) == MANY
    assert titles_found(alice, "canary7") == []
    sweep_later(app, monkeypatch)
    assert titles_found(alice, "canary7") == ["large"]
    check_index(app)
    assert alice.delete(path_of(chat)).status_code == 200
    check_index(app)


def test_a_deletion_that_is_under_way_is_not_taken_for_a_killed_one(app, alice, chat):
    forget_words(app, chat)
    with app.app_context():
        sweep()
    assert titles_found(alice, "canary7") == []


def test_a_message_that_is_edited_meanwhile_is_found_by_its_new_words(app, alice, chat):
    forget_words(app, chat)
    [first, *_] = alice.records("ai-messages", where={"chatId": chat}, limit=1)
    assert alice.patch(f"/api/records/ai-messages/{first['recordId']}", {"content": "a raven"})
    assert titles_found(alice, "raven") == ["large"]
    assert alice.delete(path_of(chat)).status_code == 200
    assert titles_found(alice, "raven") == []
    check_index(app)


def test_who_may_not_delete_the_chat_changes_nothing(app, alice, bob, chat):
    assert bob.delete(path_of(chat)).status_code == 404
    stale = {"If-Match": "2020-01-01T00:00:00.000000Z"}
    assert alice.delete(f"/api/records/ai-chats/{chat}", headers=stale).status_code == 409
    assert titles_found(alice, "canary7") == ["large"]


def test_the_release_before_finds_all_messages(app, alice, chat):
    forget_words(app, chat)
    with app.app_context():
        downgrade(revision="0034")
        with write_transaction() as session:
            checked = "INSERT INTO search_messages (search_messages) VALUES ('integrity-check')"
            session.execute(text(checked))
            session.execute(text("DELETE FROM messages"))
            session.execute(text(checked))


def test_a_deletion_reads_no_table_whole(app, alice, chat):
    """In its write transaction nobody else of the worker goes on."""
    with noting_whole_tables(app) as names:
        assert alice.delete(path_of(chat)).status_code == 200
    assert names & set(db.metadata.tables) == set()
