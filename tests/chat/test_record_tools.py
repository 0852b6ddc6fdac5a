"""The record tools in turns: what they answer, what they leave, and when they are ended."""

import json
import time

import gevent
import pytest
from sqlalchemy import select, text

from service.chat.models import JournalEntry, Turn
from service.chat.tools import requirements, run
from service.extensions import db
from service.records.models import Outbox, Record
from tests.chat.scripted_steps import answer
from tests.chat.turns import NOTES, call_tool
from tests.people import text_of, types
from tests.permissions.scripted_calls import turn_of
from tests.services import on_sqlite

pytestmark = pytest.mark.settings(extensions="tests.chat.slow_tools")


def stored(app, model):
    with app.app_context():
        rows = db.session.scalars(select(model).order_by(model.seq)).all()
        db.session.commit()
        return rows


@on_sqlite
def test_the_five_tools_do_what_the_routes_do(alice, chat):
    made = call_tool(alice, chat, "records.create", **NOTES, data={"title": "one"})["output"]
    named = {**NOTES, "recordId": made["recordId"]}
    assert alice.records("notes") == [made]
    changed = call_tool(alice, chat, "records.update", **named, data={"text": "more"})["output"]
    assert changed["data"] == {"userId": "alice", "title": "one", "text": "more"}
    assert call_tool(alice, chat, "records.get", **named)["output"] == changed
    page = call_tool(alice, chat, "records.query", **NOTES, where={"text": "more"})["output"]
    assert page == {"records": [changed], "nextCursor": None}
    assert call_tool(alice, chat, "records.delete", **named)["output"] == {
        "deleted": made["recordId"]
    }
    assert alice.records("notes") == []


@on_sqlite
def test_a_refusal_is_an_error_that_the_model_reads(alice, chat):
    chunk = call_tool(alice, chat, "records.create", **NOTES, data={"title": 5, "more": 1})
    assert chunk["type"] == "tool-output-error"
    assert "Must be of type string." in chunk["errorText"]
    assert "Unknown field." in chunk["errorText"]
    absent = call_tool(alice, chat, "records.get", **NOTES, recordId="absent")
    assert absent["errorText"] == "This does not exist, or you have no access to it."


@on_sqlite
def test_a_page_of_large_records_ends_early_and_goes_on_at_its_cursor(alice, chat):
    titles = [f"{number} " + "\u00e9" * 150 for number in range(12)]
    for title in titles:
        alice.post("/api/records/notes", {"title": title, "text": "\u00e9" * 19_000})
    asked, found = {**NOTES, "limit": 12}, []
    while asked:
        page = call_tool(alice, chat, "records.query", **asked)["output"]
        assert len(json.dumps(page, ensure_ascii=False).encode()) < 151_000
        assert page.get("truncated", False) == (page["nextCursor"] is not None)
        found += [record["data"]["title"] for record in page["records"]]
        asked = {**asked, "cursor": page["nextCursor"]} if page["nextCursor"] else None
    assert found == titles


@on_sqlite
def test_a_short_page_by_its_limit_is_not_called_truncated(alice, chat):
    for title in "abc":
        alice.post("/api/records/notes", {"title": title})
    page = call_tool(alice, chat, "records.query", **NOTES, limit=2)["output"]
    assert (len(page["records"]), "truncated" in page) == (2, False)
    assert page["nextCursor"]


@on_sqlite
def test_a_whole_number_may_have_a_fraction_of_zero_as_in_json_schema(alice, chat):
    for title in "abc":
        alice.post("/api/records/notes", {"title": title})
    page = call_tool(alice, chat, "records.query", **NOTES, limit=2.0)["output"]
    assert [record["data"]["title"] for record in page["records"]] == ["a", "b"]
    chunks = alice.turn(chat, f"call records.query with {json.dumps({**NOTES, 'limit': 2.5})}")
    assert "tool-input-error" in types(chunks)


@on_sqlite
@pytest.mark.parametrize("shape", ["text", "list", "object", "keys"])
def test_a_result_over_the_cap_is_cut_and_says_so(alice, chat, shape):
    output = call_tool(alice, chat, "test.large", shape=shape)["output"]
    assert output["truncated"] is True
    assert len(json.dumps(output, ensure_ascii=False, separators=(",", ":")).encode()) > 1_000
    assert len(json.dumps(output, ensure_ascii=False, separators=(",", ":")).encode()) <= 200_000
    assert "\u00e9" in json.dumps(output, ensure_ascii=False)
    part = alice.rows(chat)[1]["parts"][1]
    assert part["output"] == output


@on_sqlite
def test_the_third_identical_read_is_answered_already(alice, served_by):
    read = ("records.query", NOTES)
    assert turn_of(alice, served_by, [read], [read, read])[2] == "already answered above"
    other = ("records.query", {**NOTES, "limit": 5})
    outputs = turn_of(alice, served_by, [read, other], [read, other], [read])
    assert [output == "already answered above" for output in outputs] == [False] * 4 + [True]


def test_a_write_in_between_makes_reading_worth_while(alice, served_by):
    read, write = ("records.query", NOTES), ("records.create", {**NOTES, "data": {"title": "t"}})
    outputs = turn_of(alice, served_by, [read, read, read], [write], [read, read, read])
    assert outputs[2] == outputs[6] == "already answered above"
    assert [len(outputs[number]["records"]) for number in (0, 1, 4, 5)] == [0, 0, 1, 1]


def test_each_write_is_in_the_journal(app, alice, chat):
    made = call_tool(alice, chat, "records.create", **NOTES, data={"title": "one"})["output"]
    named = {**NOTES, "recordId": made["recordId"]}
    changed = call_tool(alice, chat, "records.update", **named, data={"text": "x"})["output"]
    call_tool(alice, chat, "records.delete", **named)
    call_tool(alice, chat, "records.query", **NOTES)
    turns, entries = stored(app, Turn), stored(app, JournalEntry)
    assert [(e.turn_id, e.tool, e.outcome, e.before) for e in entries] == [
        (turns[0].turn_id, "records.create", "added", None),
        (turns[1].turn_id, "records.update", "updated", made),
        (turns[2].turn_id, "records.delete", "removed", changed),
    ]
    whose = {(e.chat_id, e.user_id, e.collection, e.record_id) for e in entries}
    assert whose == {(chat, "alice", "notes", made["recordId"])}


@on_sqlite
def test_a_write_that_fails_leaves_no_entry(app, alice, bob, chat):
    note = alice.post("/api/records/notes", {"title": "t"}).json["recordId"]
    named, his = {**NOTES, "recordId": note}, bob.new_chat()
    failed = [
        call_tool(alice, chat, "records.create", **NOTES, data={}),
        call_tool(alice, chat, "records.update", **named, data={"title": None}),
        call_tool(bob, his, "records.update", **named, data={"title": "stolen"}),
        call_tool(bob, his, "records.delete", **named),
        call_tool(bob, his, "records.create", collection="ai-chats", data={"title": "t"}),
    ]
    assert {chunk["type"] for chunk in failed} == {"tool-output-error"}
    assert stored(app, JournalEntry) == []


def test_record_and_entry_are_written_in_one_transaction(app, alice, chat):
    """Where the journal is out of order, the tools write nothing at all; others do."""
    note = alice.post("/api/records/notes", {"title": "t"}).json
    named = {**NOTES, "recordId": note["recordId"]}
    with app.app_context(), db.engine.begin() as connection:
        connection.exec_driver_sql("ALTER TABLE journal RENAME TO journal_kept")
        # It can be read, not written.
        connection.exec_driver_sql("CREATE VIEW journal AS SELECT * FROM journal_kept LIMIT 1000")
    failed = [
        call_tool(alice, chat, "records.create", **NOTES, data={"title": "t"}),
        call_tool(alice, chat, "records.update", **named, data={"title": "u"}),
        call_tool(alice, chat, "records.delete", **named),
    ]
    assert [chunk["errorText"] for chunk in failed] == ["The tool failed."] * 3
    assert alice.records("notes") == [note]
    assert [row.record_id for row in stored(app, Outbox)].count(note["recordId"]) == 1
    assert len(stored(app, Record)) == 1


def take_turns(turns):
    """One of the other greenlets, which notes each of its turns."""
    while True:
        turns.append(1)
        gevent.sleep(0.001)


def test_of_a_write_that_takes_too_long_nobody_knows_how_it_ended(alice, chat, monkeypatch):
    monkeypatch.setattr(run, "NOTHING", requirements.Needs(seconds=0.1))
    told = call_tool(alice, chat, "test.slow-write")["errorText"]
    assert told == f"{run.TOO_LONG.format(seconds=0.1)} {run.UNSURE}"


def test_a_query_that_never_ends_is_ended_in_the_database_too(app, alice, chat, monkeypatch):
    monkeypatch.setattr(run, "NOTHING", requirements.Needs(seconds=3.0))
    turns = []
    watching = gevent.spawn(take_turns, turns)
    chunk = call_tool(alice, chat, "test.forever")
    watching.kill()
    assert chunk["errorText"] == run.TOO_LONG.format(seconds=3)
    assert len(turns) > 50  # a query that lets nobody run leaves them those before and after it
    with app.app_context():
        assert still_running() == 0
        db.session.commit()
    assert call_tool(alice, chat, "records.query", **NOTES)["output"]["records"] == []


def still_running():
    """Statements of other connections that the database has not ended."""
    if db.engine.dialect.name == "sqlite":
        return db.engine.pool.checkedout()  # it runs where its connection is
    others = "pid <> pg_backend_pid() AND datname = current_database() AND state <> 'idle'"
    deadline = time.monotonic() + 15
    count = text(f"SELECT count(*) FROM pg_stat_activity WHERE {others}")
    while (left := db.session.scalar(count)) and time.monotonic() < deadline:
        db.session.commit()  # in one transaction, the view would stay as it is
        gevent.sleep(0.02)
    return left


@on_sqlite
@pytest.mark.parametrize("count", [1, 2], ids=["alone", "beside another read"])
def test_a_time_limit_of_a_tools_own_ends_only_the_tool(alice, chat, served_by, count):
    calls = [("call", "test__own-limit", "{}")] * count
    served_by.answers = [
        lambda seen: answer(seen, calls),
        lambda seen: answer(seen, [("text", "done")]),
    ]
    chunks = alice.turn(chat, "go")
    assert (types(chunks)[-1], text_of(chunks)) == ("finish", "done")
    failed = [one["errorText"] for one in chunks if one["type"] == "tool-output-error"]
    assert failed == [run.FAILED] * count
