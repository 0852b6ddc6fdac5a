"""Erasing a user, and reading what the assistant has changed."""

import pytest
from sqlalchemy import inspect, select, text, update

from service.auth.users import rights_cache
from service.chat import people, sweeper
from service.chat.models import JournalEntry
from service.database import write_transaction
from service.extensions import db
from tests.chat.test_record_tools import NOTES, called
from tests.people import text_of


def everything(app) -> str:
    """Every row of every table, as text."""
    with app.app_context():
        tables = inspect(db.engine).get_table_names()
        rows = [db.session.execute(text(f'SELECT * FROM "{t}"')).all() for t in tables]  # noqa: S608
        db.session.commit()
    return repr(rows)


def erase(app, subject: str) -> bool:
    with app.app_context():
        connections = app.extensions["proxy"].connections
        return people.erase(subject, app.extensions["collections"], connections)


def forget_owners(app) -> None:
    """The journal as the release before migration 0008 writes it."""
    with app.app_context(), write_transaction() as session:
        session.execute(update(JournalEntry).values(owner=None))


def test_an_erased_user_leaves_only_numbers_under_a_pseudonym(app, alice, bob):
    chat = alice.new_chat("alice's canary-title")
    alice.turn(chat, "add a task: canary-task")
    alice.turn(chat, "delete the task canary-task")
    alice.post("/api/records/notes", {"title": "canary-note"})
    bob.turn(bob.new_chat(), "add a task: bob-task")
    spent = alice.get("/api/credits").json["balance"]
    assert "canary" in everything(app)
    assert "alice" in everything(app)
    assert erase(app, "alice")
    left = everything(app)
    assert "canary" not in left
    assert "alice" not in left
    assert "bob-task" in left
    assert "erased-" in left
    assert alice.get("/api/credits").json["balance"] == 1000 > spent
    assert not erase(app, "nobody")


@pytest.mark.parametrize("release", ["this", "the one before 0008"])
def test_an_erased_user_leaves_nothing_in_somebody_elses_journal(app, alice, admin, release):
    note = alice.post("/api/records/notes", {"title": "canary-note"}).json["recordId"]
    called(admin, admin.new_chat(), "records.update", **NOTES, recordId=note, data={"title": "t"})
    if release != "this":
        forget_owners(app)
    (entry,) = admin.get("/api/ai/journal").json["entries"]
    assert entry["before"]["data"]["title"] == "canary-note"
    erase(app, "alice")
    assert "canary" not in everything(app)
    assert "alice" not in everything(app)
    (entry,) = admin.get("/api/ai/journal").json["entries"]
    assert (entry["outcome"], entry["before"]) == ("updated", None)


def test_the_journal_shows_only_what_its_reader_may_read_now(app, alice, admin):
    hers = alice.post("/api/records/notes", {"title": "hers"}).json["recordId"]
    own = admin.post("/api/records/notes", {"title": "own"}).json["recordId"]
    chat = admin.new_chat()
    for note in (hers, own):
        called(admin, chat, "records.update", **NOTES, recordId=note, data={"title": "t"})
    with app.app_context():
        people.set_role("admin", "user")
    rights_cache.clear()
    shown = [entry["before"] for entry in admin.get("/api/ai/journal").json["entries"]]
    assert (shown[0]["data"]["title"], shown[1]) == ("own", None)


def test_an_entry_of_an_earlier_release_learns_whose_record_it_tells_of(app, alice, admin):
    notes = [alice.post("/api/records/notes", {"title": t}).json["recordId"] for t in "ab"]
    chat = admin.new_chat()
    called(admin, chat, "records.update", **NOTES, recordId=notes[0], data={"title": "c"})
    called(admin, chat, "records.delete", **NOTES, recordId=notes[1])
    called(admin, chat, "records.create", **NOTES, data={"title": "own"})
    forget_owners(app)
    with app.app_context():
        sweeper.sweep()
        owners = db.session.scalars(select(JournalEntry.owner).order_by(JournalEntry.seq)).all()
        db.session.commit()
    assert owners == ["alice", "alice", "admin"]


def test_an_entry_without_an_owner_shows_nobody_elses_record(app, alice, admin):
    note = alice.post("/api/records/notes", {"title": "hers"}).json["recordId"]
    called(admin, admin.new_chat(), "records.update", **NOTES, recordId=note, data={"title": "t"})
    forget_owners(app)
    with app.app_context():
        people.set_role("admin", "user")
    rights_cache.clear()
    (entry,) = admin.get("/api/ai/journal").json["entries"]
    assert entry["before"] is None


def test_the_text_of_a_deleted_chat_goes_from_entries_without_an_owner(app, alice):
    chat = alice.new_chat("canary-title")
    called(alice, alice.new_chat(), "records.update", collection="ai-chats", recordId=chat,
           data={"title": "other"})  # fmt: skip
    forget_owners(app)
    assert "canary-title" in everything(app)
    alice.delete(f"/api/ai/chats/{chat}")
    assert "canary-title" not in everything(app)


def test_the_journal_tells_its_owner_what_the_assistant_changed(alice, bob):
    chat = alice.new_chat()
    assert "added" in text_of(alice.turn(chat, "add two tasks: buy milk, sell milk"))
    alice.turn(chat, "mark buy milk as done")
    alice.turn(chat, "delete the task sell milk")
    page = alice.get("/api/ai/journal?limit=3").json
    told = [(entry["tool"], entry["outcome"]) for entry in page["entries"]]
    assert told == [
        ("records.delete", "removed"),
        ("records.update", "updated"),
        ("records.create", "added"),
    ]
    assert page["entries"][0]["before"]["data"]["title"] == "sell milk"
    rest = alice.get(f"/api/ai/journal?cursor={page['nextCursor']}").json
    assert (len(rest["entries"]), rest["nextCursor"]) == (1, None)
    assert bob.get("/api/ai/journal").json == {"entries": [], "nextCursor": None}


def test_the_sandbox_assistant_keeps_tasks(alice):
    chat = alice.new_chat()
    alice.turn(chat, "Add three tasks: write, read and sleep")
    assert [r["data"]["title"] for r in alice.records("tasks")] == ["write", "read", "sleep"]
    alice.turn(chat, "mark the task sleep as done")
    assert [r["data"].get("done") for r in alice.records("tasks")] == [None, None, True]
    assert "“write”, “read”, “sleep”" in text_of(alice.turn(chat, "list my tasks"))
    alice.turn(chat, "please add three tasks")
    assert len(alice.records("tasks")) == 6
