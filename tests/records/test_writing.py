"""Creating, updating and deleting by HTTP: validation, answers, and the outbox."""

import json

import gevent
import pytest
from sqlalchemy import func, select

from service.chat import collections
from service.chat.models import JournalEntry, Message
from service.database.access import write_transaction
from service.database.locks import lock_name
from service.database.prepared import await_replies
from service.extensions import db
from service.records.models import Outbox, Record
from tests import model_streams
from tests.app_database import is_lock_awaited
from tests.chat.chat_searches import write
from tests.chat.turns import call_tool
from tests.services import on_sqlite, wait_for
from tests.upstream import Answer

NOTES, MISSING = "/api/records/notes", "absent"
WHOLE = "application/json"

pytestmark = pytest.mark.settings(extensions="tests.records.every_type")


@pytest.fixture
def counts(app):
    """Return a function that counts records and changes."""

    def count():
        with app.app_context():
            return [
                db.session.scalar(select(func.count()).select_from(model))
                for model in (Record, Outbox)
            ]

    return count


@pytest.fixture
def note(alice):
    return alice.post(NOTES, {"title": "first", "text": "some"}).json


@on_sqlite
def test_a_create_answers_with_the_record(alice):
    response = alice.post(NOTES, {"title": "new", "text": "words"})
    record = response.json
    assert response.status_code == 201
    assert list(record) == ["recordId", "data", "createdAt", "updatedAt"]
    assert record["data"] == {"userId": "alice", "title": "new", "text": "words"}
    assert record["createdAt"] == record["updatedAt"]
    assert alice.get(f"{NOTES}/{record['recordId']}").json == record


@on_sqlite
def test_an_update_changes_only_its_columns(alice, note):
    path = f"{NOTES}/{note['recordId']}"
    changed = alice.patch(path, {"text": "other"})
    assert changed.status_code == 200
    assert changed.json["data"] == {"userId": "alice", "title": "first", "text": "other"}
    emptied = alice.patch(path, {"text": None}).json
    assert emptied["data"] == {"userId": "alice", "title": "first"}
    assert emptied["createdAt"] == note["createdAt"]
    assert note["updatedAt"] < changed.json["updatedAt"] < emptied["updatedAt"]
    assert alice.get(path).json == emptied


@on_sqlite
def test_a_deleted_record_is_gone(alice, note):
    path = f"{NOTES}/{note['recordId']}"
    assert alice.delete(path).json == {"success": True}
    assert [alice.get(path).status_code, alice.delete(path).status_code] == [404, 404]
    assert alice.records("notes") == []


def test_updated_at_always_increases(alice, note):
    path = f"{NOTES}/{note['recordId']}"
    times = [alice.patch(path, {}).json["updatedAt"] for _ in range(20)]
    assert times == sorted(set(times))


GOOD = {
    "text": ["", "caf\u00e9 \U0001f600 \uffff"],
    "number": [0, -1.5, 1e308, 2**63 - 1, -(2**63), 5e-324],
    "integer": [0, 2**63 - 1, -(2**63)],
    "boolean": [True, False],
    "array": [[], [1, [None, {"a": "\u00e9"}]]],
    "object": [{}, {"z": 1, "a": {"constructor": {"name": 1}}}],
}
BAD = {
    "text": [5, True, [], {}, "\x00", "a\ud800", "x" * 51],
    "number": ["5", True, [], 2**63, -(2**63) - 1],
    "integer": ["5", 5.5, 1e300, False, {}, 2**63, -(2**63) - 1],
    "boolean": [0, 1, "true", []],
    "datetime": [5, "yesterday", "2024-01-01", "2024-01-01T00:00:00", "0500-01-01T00:00:00Z",
                 "9999-12-31T23:59:59-14:00", "0001-01-01T00:00:00+14:00", True, {}],
    "array": ["[]", {}, 5, ["\x00"], [["\ud800"]], [{"__proto__": 1}]],
    "object": ["{}", [], 5, {"a": "\x00"}, {"\x00": 1}, {"a": [{"\udfff": 1}]}, {"__proto__": {}},
               {"a": [{"constructor": {"prototype": 1}}]}],
}  # fmt: skip


def test_a_value_of_its_type_comes_back_as_it_was(alice):
    for column, value in [(column, value) for column, values in GOOD.items() for value in values]:
        response = alice.post("/api/records/every-type", {"needed": "n", column: value})
        assert response.status_code == 201, response.json
        read = alice.get(f"/api/records/every-type/{response.json['recordId']}").json
        assert json.dumps(read["data"][column]) == json.dumps(value)


def test_an_integer_may_be_written_with_a_zero_fraction(alice):
    created = alice.post("/api/records/every-type", {"needed": "n", "integer": 5.0}).json
    assert json.dumps(created["data"]["integer"]) == "5"
    where = json.dumps({"integer": {"in": [5.0]}})
    [found] = alice.get("/api/records/every-type", query_string={"where": where}).json["records"]
    assert found["recordId"] == created["recordId"]


def test_a_time_comes_back_in_utc(alice):
    response = alice.post(
        "/api/records/every-type", {"needed": "n", "datetime": "2024-03-01T01:00:00+02:00"}
    )
    assert response.json["data"]["datetime"] == "2024-02-29T23:00:00.000000Z"


def test_a_value_of_another_type_is_refused_and_named(alice, counts):
    record = alice.post("/api/records/every-type", {"needed": "n"}).json
    path, before = f"/api/records/every-type/{record['recordId']}", counts()
    for column, value in [(column, value) for column, values in BAD.items() for value in values]:
        for answer in (
            alice.post("/api/records/every-type", {"needed": "n", column: value}),
            alice.patch(path, {column: value}),
        ):
            assert (answer.status_code, answer.json["error"]) == (400, "invalid_request"), value
            assert list(answer.json["details"]) == [column]
    assert counts() == before
    assert alice.get(path).json == record


FORGED = ["owner", "role", "chatId", "recordId", "userId", "createdAt", "updatedAt", "nothing",
          "__proto__", "data", "\ud800", "\x00", "x" * 300]  # fmt: skip


@on_sqlite
def test_a_read_only_column_is_refused(alice, note, counts):
    before, path = counts(), f"{NOTES}/{note['recordId']}"
    for name in FORGED:
        for answer in (
            alice.post(NOTES, {"title": "t", name: "bob"}),
            alice.patch(path, {name: "bob"}),
        ):
            assert (answer.status_code, answer.json["error"]) == (400, "invalid_request"), name
            assert list(answer.json["details"]) == [name[:100]]
    assert counts() == before
    assert alice.get(path).json == note


@on_sqlite
def test_the_place_and_author_of_a_message_are_read_only(alice):
    chat = alice.new_chat()
    alice.turn(chat, "hello", userMessageId="mine")
    before = alice.records("ai-messages")
    for name in ("chatId", "userId", "role", "parts", "edited", "recordId"):
        answer = alice.patch("/api/records/ai-messages/mine", {"content": "x", name: "assistant"})
        assert (answer.status_code, list(answer.json["details"])) == (400, [name])
    assert alice.records("ai-messages") == before


@on_sqlite
def test_a_required_column_can_be_neither_missing_nor_null(alice, note, counts):
    before = counts()
    missing = alice.post(NOTES, {"text": "no title"})
    assert missing.json["details"] == {"title": ["Missing data for required field."]}
    for value in (None, "", "x" * 201):
        assert alice.post(NOTES, {"title": value}).status_code == 400
        assert alice.patch(f"{NOTES}/{note['recordId']}", {"title": value}).status_code == 400
    faults = alice.post(NOTES, {"title": 5, "text": 6, "more": 7}).json["details"]
    assert set(faults) == {"title", "text", "more"}
    assert counts() == before


RAW = {
    "NaN": b'{"title": NaN}',
    "infinity": b'{"title": "t", "text": -Infinity}',
    "1e999": b'{"needed": "n", "number": 1e999}',
    "1e999 inside": b'{"needed": "n", "array": [1e999]}',
    "5000 digits": b'{"needed": "n", "number": ' + b"9" * 5000 + b"}",
    "no JSON": b"{title: 1}",
    "a list": b"[]",
    "a text": b'"title"',
    "null": b"null",
    "no UTF-8": b'{"needed": "\xff"}',
    "nested": b'{"needed": "n", "array": ' + b"[" * 1000 + b"]" * 1000 + b"}",
    "nested objects": b'{"needed": "n", "object": ' + b'{"a":' * 1000 + b"1" + b"}" * 1000 + b"}",
    "unclosed": b'{"needed": "n", "array": ' + b"[" * 20_000,
}


@on_sqlite
def test_a_body_that_is_not_a_json_object_is_refused(alice, counts):
    before = counts()
    for name, raw in RAW.items():
        answer = alice.request("POST", "/api/records/every-type", data=raw, content_type=WHOLE)
        assert (answer.status_code, answer.json["error"]) == (400, "invalid_request"), name
    assert counts() == before


def test_a_nested_value_is_refused_or_comes_back_through_the_list(alice):
    taken = 0
    for depth in (50, 100, 200, 300, 400, 450, 500, 600, 800, 950):
        raw = b'{"needed": "n", "array": ' + b"[" * depth + b"]" * depth + b"}"
        answer = alice.request("POST", "/api/records/every-type", data=raw, content_type=WHOLE)
        assert answer.status_code == 201 or (answer.status_code == 400 and depth > 100), depth
        taken += answer.status_code == 201
        listed = alice.get("/api/records/every-type")
        assert (listed.status_code, len(listed.json["records"])) == (200, taken), depth


@on_sqlite
@pytest.mark.parametrize("method", ["GET", "PATCH", "DELETE"])
def test_another_users_record_answers_like_a_missing_one(
    alice, bob, note, statements, counts, method
):
    def ask(record_id):
        del statements[:]
        body = {"json": {"title": "stolen"}} if method == "PATCH" else {}
        response = bob.request(method, f"{NOTES}/{record_id}", **body)
        return response.status_code, response.json, list(statements)

    ask("warm")
    before = counts()
    theirs, absent = ask(note["recordId"]), ask(MISSING)
    assert theirs == absent
    assert theirs[0] == 404
    assert any("records" in statement for statement in theirs[2])
    assert counts() == before
    assert alice.get(f"{NOTES}/{note['recordId']}").json == note


@on_sqlite
@pytest.mark.parametrize("form", ['"{}"', "{}", " {} "])
def test_if_match_accepts_only_the_newest_version(alice, note, form):
    path, stale = f"{NOTES}/{note['recordId']}", form.format(note["updatedAt"])
    fresh = alice.patch(path, {"title": "second"}, headers={"If-Match": stale}).json
    for response in (
        alice.patch(path, {"title": "third"}, headers={"If-Match": stale}),
        alice.delete(path, headers={"If-Match": stale}),
    ):
        assert (response.status_code, response.json["error"]) == (409, "conflict")
    assert alice.get(path).json == fresh
    newest = form.format(fresh["updatedAt"])
    assert alice.delete(path, headers={"If-Match": newest}).status_code == 200


@on_sqlite
def test_if_match_with_a_star_or_nothing_matches_any_version(alice, note):
    path = f"{NOTES}/{note['recordId']}"
    assert alice.patch(path, {"title": "a"}, headers={"If-Match": "*"}).status_code == 200
    assert alice.patch(path, {"title": "b"}, headers={"If-Match": ""}).status_code == 200
    stale = {"If-Match": note["updatedAt"]}
    assert alice.patch(f"{NOTES}/absent", {}, headers=stale).status_code == 404


@on_sqlite
def test_if_match_that_no_record_can_have_is_an_error_of_the_request(alice, note):
    path = f"{NOTES}/{note['recordId']}"
    for value in ("yesterday", "2026-11-23", "2026-11-23T04:05:06Z", 'W/"1"'):
        for answer in (
            alice.patch(path, {"title": "c"}, headers={"If-Match": value}),
            alice.delete(path, headers={"If-Match": value}),
        ):
            assert (answer.status_code, answer.json["error"]) == (400, "invalid_request"), value
            assert answer.json["details"] == {"If-Match": ["Must be the record's `updatedAt`."]}
    assert alice.get(path).json == note


def changes_of(app, **where):
    with app.app_context():
        rows = db.session.scalars(select(Outbox).filter_by(**where).order_by(Outbox.seq)).all()
        db.session.commit()
        return rows


def test_every_write_leaves_one_change(app, alice, note):
    path = f"{NOTES}/{note['recordId']}"
    changed = alice.patch(path, {"text": None}).json
    alice.delete(path)
    rows = changes_of(app, record_id=note["recordId"])
    assert [(row.action, row.owner) for row in rows] == [
        ("added", "alice"),
        ("updated", "alice"),
        ("removed", "alice"),
    ]
    assert [row.before for row in rows] == [None, note, changed]
    assert [row.after for row in rows] == [note, changed, None]


def test_a_change_is_written_in_the_transaction_of_its_record(app, alice, note):
    """If the outbox fails, the record is unchanged."""
    with app.app_context(), db.engine.begin() as connection:
        connection.exec_driver_sql("ALTER TABLE outbox RENAME TO outbox_gone")
    path = f"{NOTES}/{note['recordId']}"
    answers = [
        alice.post(NOTES, {"title": "t"}),
        alice.patch(path, {"title": "x"}),
        alice.delete(path),
    ]
    assert [answer.status_code for answer in answers] == [500] * 3
    assert alice.records("notes") == [note]
    with app.app_context(), db.engine.begin() as connection:
        connection.exec_driver_sql("ALTER TABLE outbox_gone RENAME TO outbox")
    assert len(changes_of(app)) == 1


@on_sqlite
def test_a_refused_write_leaves_no_change(app, alice, bob, note):
    path = f"{NOTES}/{note['recordId']}"
    alice.patch(path, {"title": 5})
    alice.patch(path, {"title": "t"}, headers={"If-Match": "2020-01-01T00:00:00.000000Z"})
    bob.patch(path, {"title": "stolen"})
    bob.delete(path)
    bob.post("/api/records/ai-chats", {"title": "forged"})
    assert len(changes_of(app)) == 1


def answer_in(alice, chat, text="who am i", **more):
    """A stored answer with a tool call."""
    alice.turn(chat, text, **more)
    return alice.records("ai-messages", where={"role": "assistant"})[-1]


def test_an_edited_answer_keeps_its_tool_calls(alice):
    record = answer_in(alice, alice.new_chat())
    path = f"/api/records/ai-messages/{record['recordId']}"
    changed = alice.patch(path, {"content": "in other words"}).json
    assert (changed["data"]["content"], changed["data"]["edited"]) == ("in other words", True)
    tools = [part for part in record["data"]["parts"] if part["type"].startswith("tool-")]
    calls = [part for part in changed["data"]["parts"] if part["type"].startswith("tool-")]
    assert calls == tools != []
    texts = [part["text"] for part in changed["data"]["parts"] if part["type"] == "text"]
    assert texts == ["in other words"]
    assert alice.patch(path, {"content": ""}).status_code == 400
    assert alice.get(path).json == changed


@on_sqlite
def test_a_message_that_gets_its_own_text_again_is_not_edited(alice):
    """A form that is saved without a change would make the model doubt the message."""
    record = answer_in(alice, alice.new_chat(), "/fail pause")
    path = f"/api/records/ai-messages/{record['recordId']}"
    assert len([part for part in record["data"]["parts"] if part["type"] == "text"]) > 1
    saved = alice.patch(path, {"content": record["data"]["content"]}).json
    assert saved["data"] == record["data"]
    assert alice.patch(path, {"content": "Something else."}).json["data"]["edited"] is True


@on_sqlite
def test_the_model_is_told_of_an_edit(alice, served_by):
    chat = alice.new_chat()
    served_by.answers = [Answer(model_streams.anthropic("the first answer"))]
    record = answer_in(alice, chat, "a question", userMessageId="mine")
    alice.patch("/api/records/ai-messages/mine", {"content": "another question"})
    alice.patch(f"/api/records/ai-messages/{record['recordId']}", {"content": "edited answer"})
    alice.turn(chat, "and now?")
    sent = json.dumps(served_by.seen[-1].json["messages"])
    assert "another question" in sent
    assert "edited answer" in sent
    assert "a question" not in sent.replace("another question", "")
    assert "the first answer" not in sent
    assert sent.count("I have edited") == 2


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
@pytest.mark.parametrize("method", ["PATCH", "DELETE"])
def test_a_change_of_a_message_waits_for_one_of_its_chat(app, alice, method):
    """A turn and an undo lock the chat's name before its rows: in another order, each would wait
    for the other."""
    chat = alice.new_chat()
    alice.turn(chat, "a question", userMessageId="mine")
    with app.app_context(), write_transaction() as session:
        lock_name(session.connection(), chat)
        await_replies(session.connection())
        body = {"content": "another question"} if method == "PATCH" else None
        path = "/api/records/ai-messages/mine"
        changing = gevent.spawn(lambda: alice.request(method, path, json=body).status_code)
        wait_for(lambda: changing.ready() or is_lock_awaited())
        assert not changing.ready()
    assert changing.get(timeout=30) == 200


def test_a_deleted_chat_leaves_no_text_behind(app, alice):
    chat, canary = alice.new_chat("title-canary"), "text-canary"
    alice.turn(chat, 'call records.create with {"collection":"notes","data":{"title":"n"}}')
    note = alice.records("notes")[0]["recordId"]
    arguments = {"collection": "notes", "recordId": note, "data": {"title": canary}}
    alice.turn(chat, f"call records.update with {json.dumps(arguments)}")
    alice.turn(chat, f"call records.update with {json.dumps(arguments)}")
    alice.delete(f"/api/records/notes/{note}")
    assert alice.delete(f"/api/records/ai-chats/{chat}").status_code == 200
    about_chats = [
        row
        for name in ("ai-chats", "ai-messages")
        for row in changes_of(app, collection=name)
        if row.before or row.after
    ]
    assert about_chats == []
    with app.app_context():
        assert db.session.scalars(select(Message)).all() == []
        entries = db.session.scalars(select(JournalEntry).order_by(JournalEntry.seq)).all()
        assert [(entry.outcome, entry.before) for entry in entries] == [
            ("added", None),
            ("updated", None),
            ("updated", None),
        ]
        db.session.commit()


@on_sqlite
def test_a_deleted_chat_leaves_no_text_in_what_another_chats_turn_changed(app, alice):
    other, chat = alice.new_chat("other"), alice.new_chat("title-canary")
    alice.turn(chat, "text-canary", userMessageId="first")
    alice.turn(chat, "text-canary", userMessageId="second")
    first, second = ({"collection": "ai-messages", "recordId": id} for id in ("first", "second"))
    call_tool(alice, other, "records.update", **first, data={"content": "changed"})
    call_tool(alice, other, "records.delete", **second)
    named = {"collection": "ai-chats", "recordId": chat}
    call_tool(alice, other, "records.update", **named, data={"title": "changed"})
    assert len(entries_with_text(app)) == 3
    alice.delete(f"/api/ai/chats/{chat}")
    assert entries_with_text(app) == []


@on_sqlite
def test_a_chat_that_the_assistant_deletes_leaves_its_entry_without_text(app, alice):
    chat = alice.new_chat("title-canary")
    call_tool(alice, alice.new_chat(), "records.delete", collection="ai-chats", recordId=chat)
    (entry,) = alice.get("/api/ai/journal").json["entries"]
    assert (entry["recordId"], entry["outcome"], entry["before"]) == (chat, "removed", None)


def entries_with_text(app):
    with app.app_context():
        entries = db.session.scalars(select(JournalEntry)).all()
        db.session.commit()
    return [entry.record_id for entry in entries if entry.before]


def test_deleting_a_chat_writes_a_change_for_each_message(app, alice, bob, monkeypatch):
    """In the order of the messages, and without the texts of the earlier changes."""
    monkeypatch.setattr(collections, "DELETED_AT_ONCE", 2)
    chat, kept, his = alice.new_chat(), alice.new_chat(), bob.new_chat()
    for number in range(3):
        alice.turn(chat, "hello", userMessageId=f"mine-{number}")
    bob.turn(his, "hello", userMessageId="mine-0")
    alice.turn(kept, "hello")
    ids = [record["recordId"] for record in alice.records("ai-messages", where={"chatId": chat})]
    alice.delete(f"/api/records/ai-chats/{chat}")
    removals = changes_of(app, action="removed", owner="alice")
    assert [row.record_id for row in removals] == [*ids, chat]
    assert {(row.before, row.after) for row in removals} == {(None, None)}
    others = changes_of(app, action="added", collection="ai-messages")
    texts = {(row.owner, row.record_id): row.after for row in others}
    assert [texts["alice", id] for id in ids] == [None] * 6
    assert sum(text is not None for text in texts.values()) == 4


def test_a_chat_of_many_messages_is_deleted_with_as_few_statements_as_a_small_one(
    app, alice, statements
):
    small, large = alice.new_chat(), alice.new_chat()
    write(app, small, "one")
    write(app, large, *(str(number) for number in range(700)))
    counts = []
    for chat in (small, large):
        statements.clear()
        alice.delete(f"/api/ai/chats/{chat}")
        counts.append(len(statements))
    assert counts[0] == counts[1]
    assert len(changes_of(app, action="removed")) == 703
