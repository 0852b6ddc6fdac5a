"""`POST /api/ai/turns/<turnId>/undo`: what a turn's tools have changed is taken back."""

import itertools
import json
from dataclasses import replace

import gevent
import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as example_settings
from hypothesis import strategies as st
from sqlalchemy import delete, select, update

from service.auth import users
from service.auth.models import User
from service.auth.users import rights_cache
from service.chat.external_calls import CALLED, CALLS, READ
from service.chat.history.messages import UNDONE
from service.chat.models import Claim, JournalEntry, Message
from service.database.access import write_transaction
from service.database.locks import lock_name
from service.database.prepared import await_replies
from service.extensions import db
from service.ids import new_id
from service.records import reverting
from service.records.collection import Collection, Collections, Column
from service.records.models import Outbox
from service.records.permissions import ACTIONS
from service.sandbox.collections import NOTES
from service.upkeep import rights
from tests import model_streams
from tests.app_database import is_lock_awaited
from tests.chat.dead_turn import DeadTurn, undo
from tests.depth import depth
from tests.services import on_sqlite, wait_for
from tests.upstream import Answer
from tests.user_erasure import erase


@pytest.fixture
def dead_turn(app, alice):
    alice.new_chat()  # or the user would not exist
    return DeadTurn(app, alice)


@pytest.fixture
def note(alice):
    """Makes notes; returns their ids."""
    return lambda title="mine", **more: alice.post(
        "/api/records/notes", {"title": title, **more}
    ).json["recordId"]


def all_of(person, *names):
    """The records of collections by id, without the times of their last changes."""
    records = itertools.chain(*(person.records(name, limit=200) for name in names))
    return {r["recordId"]: (r["data"], r["createdAt"]) for r in records}


@on_sqlite
def test_creates_updates_and_deletes_are_taken_back(alice, dead_turn, note):
    changed, deleted = note("one", text="long"), note("two")
    before = all_of(alice, "notes")
    made = dead_turn.create("three")
    dead_turn.update(changed, title="uno", text=None)
    dead_turn.delete(deleted)
    named = [{"collection": "notes", "recordId": id} for id in (changed, deleted, made)]
    assert dead_turn.undo() == {"undone": named, "conflicts": []}
    assert all_of(alice, "notes") == before


def test_several_writes_to_a_record_are_taken_back_as_one(alice, dead_turn, note):
    kept, gone = note(), note()
    before = all_of(alice, "notes")
    for title in ("a", "b"):
        dead_turn.update(kept, title=title)
        dead_turn.update(gone, title=title)
    dead_turn.delete(gone)
    fleeting = dead_turn.create("fleeting")
    dead_turn.delete(fleeting)
    assert {one["recordId"] for one in dead_turn.undo()["undone"]} == {kept, gone, fleeting}
    assert all_of(alice, "notes") == before


WRITES = st.lists(
    st.tuples(st.sampled_from(["create", "update", "delete"]), st.integers(0, 5), st.text("abc")),
    max_size=12,
)


@given(WRITES)
@example_settings(
    max_examples=depth(15), suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_an_undo_restores_the_records_after_any_writes(app, alice, note, writes):
    ids = [note(), note(text="text"), *(r["recordId"] for r in alice.records("notes", limit=3))]
    before, dead_turn = all_of(alice, "notes"), DeadTurn(app, alice)
    for kind, number, text in writes:
        if kind == "create":
            ids.append(dead_turn.create(f"t{text}"))
        elif (id := ids[number % len(ids)]) in all_of(alice, "notes"):
            if kind == "update":
                dead_turn.update(id, text=text)
            else:
                dead_turn.delete(id)
    answer = undo(alice, dead_turn.turn_id)
    assert all_of(alice, "notes") == before
    assert answer.status_code == (200 if journal_of(app, dead_turn) else 404)
    assert not (answer.json.get("conflicts"))


def journal_of(app, dead_turn):
    with app.app_context():
        of_turn = select(JournalEntry).where(JournalEntry.turn_id == dead_turn.turn_id)
        return db.session.scalars(of_turn).all()


@on_sqlite
def test_what_was_changed_since_is_a_conflict_and_stays(alice, dead_turn, note):
    changed, deleted, between = note("one"), note("two"), note("three")
    made = dead_turn.create("made")
    dead_turn.update(changed, title="by the turn")
    dead_turn.update(deleted, title="by the turn")
    dead_turn.update(between, title="by the turn")
    alice.patch(f"/api/records/notes/{between}", {"text": "by alice"})
    dead_turn.update(between, title="again")
    for id in (changed, made):
        alice.patch(f"/api/records/notes/{id}", {"text": "by alice"})
    alice.delete(f"/api/records/notes/{deleted}")
    before = all_of(alice, "notes")
    answer = dead_turn.undo()
    reasons = {one["recordId"]: one["reason"] for one in answer["conflicts"]}
    assert reasons == dict.fromkeys((changed, made, between), CHANGED) | {deleted: GONE}
    assert answer["undone"] == []
    assert all_of(alice, "notes") == before


CHANGED, GONE = "The record has been changed since.", "The record has been deleted since."


@on_sqlite
def test_a_turn_is_undone_once(alice, dead_turn, note):
    dead_turn.update(note(), title="new")
    dead_turn.undo()
    second = undo(alice, dead_turn.turn_id)
    assert (second.status_code, second.json["error"]) == (409, "conflict")


def test_of_two_undos_at_once_one_is_done(alice, dead_turn, note):
    id = note("old")
    dead_turn.update(id, title="new")
    jobs = [gevent.spawn(lambda: undo(alice, dead_turn.turn_id).status_code) for _ in range(4)]
    assert sorted(job.get() for job in jobs) == [200, 409, 409, 409]
    assert all_of(alice, "notes")[id][0]["title"] == "old"


def test_writes_at_the_same_time_are_never_lost(app, alice, note):
    for _ in range(depth(4)):
        dead_turn, id = DeadTurn(app, alice), note("old")
        dead_turn.update(id, title="new")
        path = f"/api/records/notes/{id}"
        writer = gevent.spawn(lambda path=path: alice.patch(path, {"text": "by alice"}))
        answer = dead_turn.undo()
        writer.join()
        data = all_of(alice, "notes")[id][0]
        assert data["text"] == "by alice"
        assert data["title"] == ("new" if answer["conflicts"] else "old")


@on_sqlite
def test_a_turn_of_another_user_is_as_one_that_does_not_exist(bob, dead_turn, note):
    dead_turn.update(note(), title="new")
    theirs, absent = undo(bob, dead_turn.turn_id), undo(bob, "absent")
    assert (theirs.status_code, theirs.json) == (404, absent.json)
    assert dead_turn.undo()["conflicts"] == []


@on_sqlite
def test_a_running_turn_is_not_undone(alice, app, note):
    id, chat = note("old"), alice.new_chat()
    running = alice.ask(chat, "count to 3000")
    stream = iter(running.response)
    while b"text-delta" not in next(stream):
        pass
    (run,) = app.extensions["runs"]
    turn_id = run.question.turn_id
    assert undo(alice, turn_id).status_code == 409
    running.close()
    wait_for(lambda: not app.extensions["runs"])
    assert undo(alice, turn_id).json == {"undone": [], "conflicts": []}
    assert id in all_of(alice, "notes")


@on_sqlite
def test_a_stored_turn_is_undone_with_the_rename_of_its_chat(alice):
    chat = alice.new_chat("Old")
    asked = {"collection": "ai-chats", "recordId": chat, "data": {"title": "New"}}
    chunks = alice.turn(chat, f"call records.update with {json.dumps(asked)}")
    assert alice.records("ai-chats")[0]["data"]["title"] == "New"
    answer = undo(alice, chunks[0]["messageMetadata"]["turnId"])
    assert answer.json["undone"] == [{"collection": "ai-chats", "recordId": chat}]
    assert alice.records("ai-chats")[0]["data"]["title"] == "Old"


def test_an_undo_moves_no_chat_among_the_others(app, alice):
    """Lists are sorted by `activeAt`. A chat that nobody has changed has none."""
    chat, unchanged = alice.new_chat(), alice.new_chat()
    alice.turn(chat, "hello")
    dead_turn = DeadTurn(app, alice)
    for id in (chat, unchanged):
        dead_turn.update(id, "ai-chats", title="New")
    alice.turn(chat, "hello again")
    before = active_at(alice)
    assert len(dead_turn.undo()["undone"]) == 2
    assert active_at(alice) == before


@on_sqlite
def test_the_place_of_another_collections_records_is_taken_back(app, alice, monkeypatch):
    columns = (Column("userId", required=True, fixed=True), Column("activeAt", "datetime"))
    trips = Collection(name="trips", columns=columns, permissions=NOTES.permissions)
    known = Collections([*app.extensions["collections"], trips])
    monkeypatch.setitem(app.extensions, "collections", known)
    old, new = "2026-11-23T10:00:00.000000Z", "2026-11-24T10:00:00.000000Z"
    id = alice.post("/api/records/trips", {"activeAt": old}).json["recordId"]
    for later, conflicts in ((None, 0), (old, 1)):
        dead_turn = DeadTurn(app, alice)
        dead_turn.update(id, "trips", activeAt=new)
        if later:
            alice.patch(f"/api/records/trips/{id}", {"activeAt": later})
        assert len(dead_turn.undo()["conflicts"]) == conflicts
        assert alice.records("trips")[0]["data"]["activeAt"] == old


def active_at(person):
    return {r["recordId"]: r["data"]["activeAt"] for r in person.records("ai-chats")}


def test_messages_come_back_to_their_places(app, alice):
    chat = alice.new_chat()
    for word in ("one", "two", "three"):
        alice.turn(chat, f"repeat after me: {word}", userMessageId=word)
    before = alice.records("ai-messages")
    dead_turn = DeadTurn(app, alice, chat_id=chat)
    ids = [record["recordId"] for record in before]
    dead_turn.update("one", "ai-messages", content="edited")
    for id in (ids[3], ids[2], ids[5]):
        dead_turn.delete(id, "ai-messages")
    assert dead_turn.undo()["conflicts"] == []
    after = alice.records("ai-messages")
    assert [r["recordId"] for r in after] == ids
    assert [r["data"] for r in after] == [r["data"] for r in before]


def test_a_message_comes_back_before_the_rows_of_the_turn_that_has_deleted_it(alice):
    """On SQLite the newest message of all has a number that these rows take."""
    chat = alice.new_chat()
    for word in ("one", "two"):
        alice.turn(chat, f"repeat after me: {word}")
    last = alice.records("ai-messages")[-1]
    deletion = {"collection": "ai-messages", "recordId": last["recordId"]}
    chunks = alice.turn(chat, f"call records.delete with {json.dumps(deletion)}")
    left = alice.records("ai-messages")
    assert last not in left
    answer = undo(alice, chunks[0]["messageMetadata"]["turnId"]).json
    assert answer == {"undone": [deletion], "conflicts": []}
    back = alice.records("ai-messages")
    assert [(r["data"], r["createdAt"]) for r in back] == [
        (r["data"], r["createdAt"]) for r in (*left[:3], last, *left[3:])
    ]
    found = alice.get("/api/ai/search", query_string={"q": "It is deleted"}).json["results"]
    assert [one["message"]["recordId"] for one in found] == [left[-1]["recordId"]]


def conflicts_of(dead_turn):
    answer = dead_turn.undo()
    return {one["recordId"]: one["reason"] for one in answer["conflicts"]}, answer["undone"]


@pytest.mark.parametrize("most", [2, 3])
def test_a_message_whose_place_is_taken_comes_back_before_few_later_ones(
    app, alice, bob, note, monkeypatch, most
):
    """Before many later ones it stays away, and the rest of the turn is taken back."""
    monkeypatch.setattr(reverting, "MOST_MOVED", most)
    chat, old = alice.new_chat(), note("old")
    for word in ("one", "two", "three"):
        alice.turn(chat, f"repeat after me: {word}", userMessageId=word)
    before = all_of(alice, "ai-messages")
    dead_turn = DeadTurn(app, alice, chat_id=chat)
    dead_turn.update(old, title="new")
    dead_turn.delete("two", "ai-messages")
    bob.turn(bob.new_chat(), "hello")
    with app.app_context():
        numbers = set(db.session.scalars(select(Message.seq)))
        freed = next(n for n in range(min(numbers), max(numbers)) if n not in numbers)
        moved = update(Message).where(Message.user_id == "bob", Message.role == "assistant")
        db.session.execute(moved.values(seq=freed))
        db.session.commit()
    conflicts, _ = conflicts_of(dead_turn)
    assert all_of(alice, "notes")[old][0]["title"] == "old"
    if most == 2:
        assert conflicts == {"two": "The place that it had is taken."}
    else:
        assert conflicts == {}
        assert list(all_of(alice, "ai-messages").items()) == list(before.items())


@on_sqlite
def test_records_of_a_collection_that_is_declared_no_more_are_conflicts(
    app, alice, dead_turn, note, monkeypatch
):
    task = alice.post("/api/records/tasks", {"title": "old"}).json["recordId"]
    dead_turn.update(note(), title="new")
    dead_turn.update(task, "tasks", title="new")
    left = [each for each in app.extensions["collections"] if each.name != "tasks"]
    monkeypatch.setitem(app.extensions, "collections", Collections(left))
    conflicts, undone = conflicts_of(dead_turn)
    assert conflicts == {task: "The app has no such collection any more."}
    assert len(undone) == 1


@on_sqlite
def test_records_whose_owner_has_another_column_now_are_conflicts(
    app, alice, dead_turn, note, monkeypatch
):
    old = note("old")
    dead_turn.update(old, title="new")
    notes = replace(NOTES, owner="ownerId", columns=(Column("ownerId"), *NOTES.columns[1:]))
    others = [each for each in app.extensions["collections"] if each.name != "notes"]
    monkeypatch.setitem(app.extensions, "collections", Collections([*others, notes]))
    conflicts, undone = conflicts_of(dead_turn)
    assert conflicts == {old: "The app names the record's owner in another column now."}
    assert undone == []


def test_what_a_deleted_chat_leaves_is_forgotten(app, alice, note):
    chat, id = alice.new_chat(), note("old")
    dead_turn = DeadTurn(app, alice, chat_id=chat)
    dead_turn.update(id, title="new")
    dead_turn.delete(chat, "ai-chats")
    answer = dead_turn.undo()
    assert {one["recordId"] for one in answer["conflicts"]} == {id, chat}
    assert {one["reason"] for one in answer["conflicts"]} == {
        "The record's earlier state is no longer stored."
    }


def journal_call(app, dead_turn, endpoint, outcome):
    with app.app_context():
        turn = {"turn_id": dead_turn.turn_id, "chat_id": "chat", "user_id": "alice"}
        what = {"tool": "integrations.call", "collection": CALLS, "record_id": endpoint}
        db.session.add(JournalEntry(**turn, **what, outcome=outcome))
        db.session.commit()


def test_a_failed_turn_that_has_only_read_is_as_one_that_has_done_nothing(app, alice, dead_turn):
    journal_call(app, dead_turn, "search-images", READ)
    read, nothing = undo(alice, dead_turn.turn_id), undo(alice, new_id("turn"))
    assert (read.status_code, read.json) == (404, nothing.json)


@on_sqlite
def test_calls_of_endpoints_are_conflicts(app, dead_turn, note):
    dead_turn.update(note(), title="new")
    journal_call(app, dead_turn, "mail-send", CALLED)
    answer = dead_turn.undo()
    assert len(answer["undone"]) == 1
    reason = "A call outside the app can't be taken back."
    named = {"collection": "integrations", "recordId": "mail-send", "reason": reason}
    assert answer["conflicts"] == [named]


@on_sqlite
def test_the_rights_are_those_of_now(app, alice, admin):
    """An admin's assistant changes another user's notes; then the role is taken away."""
    kept, gone = (
        alice.post("/api/records/notes", {"title": "hers"}).json["recordId"] for _ in range(2)
    )
    admin.new_chat()
    dead_turn = DeadTurn(app, admin, "admin")
    dead_turn.update(kept, title="by the admin")
    dead_turn.delete(gone)
    before = all_of(alice, "notes")
    with app.app_context():
        rights.set_role("admin", "user")
    rights_cache.clear()
    answer = dead_turn.undo()
    assert {one["reason"] for one in answer["conflicts"]} == {
        "You may not do this with the record."
    }
    assert all_of(alice, "notes") == before


def test_an_undo_that_has_waited_has_the_rights_of_its_end(app, alice, admin, note, monkeypatch):
    monkeypatch.setattr(users, "RIGHTS_AGE", 0)
    hers = note("hers")
    admin.new_chat()
    dead_turn = DeadTurn(app, admin, "admin")
    dead_turn.update(hers, title="by the admin")
    before = all_of(alice, "notes")
    with app.app_context(), write_transaction() as session:
        lock_name(session.connection(), hers)
        await_replies(session.connection())
        undoing = gevent.spawn(dead_turn.undo)
        wait_for(is_lock_awaited)
        session.execute(update(User).where(User.subject == "admin").values(role="user"))
    [conflict] = undoing.get(timeout=30)["conflicts"]
    assert conflict["reason"] == "You may not do this with the record."
    assert all_of(alice, "notes") == before


def test_a_user_who_has_just_been_disabled_takes_nothing_back(app, alice, dead_turn, note):
    """The check of the token may be that of two seconds ago."""
    id = note("old")
    dead_turn.update(id, title="new")
    for disabled, status, title in ((True, 401, "new"), (False, 200, "old")):
        assert alice.get("/api/ai/models").status_code == 200
        with app.app_context(), write_transaction() as session:
            session.execute(update(User).values(disabled=disabled))
        assert undo(alice, dead_turn.turn_id).status_code == status
        with app.app_context(), write_transaction() as session:
            session.execute(update(User).values(disabled=False))
        rights_cache.clear()
        assert all_of(alice, "notes")[id][0]["title"] == title


@on_sqlite
@pytest.mark.settings(extensions="tests.permissions.rule_collections")
def test_a_column_that_the_user_may_not_read_now_stays(app, alice):
    record = alice.post("/api/records/sealed", {"title": "hers"}).json["recordId"]
    dead_turn = DeadTurn(app, alice, "editor")
    dead_turn.update(record, collection="sealed", grade=5)
    [conflict] = dead_turn.undo()["conflicts"]
    assert conflict["reason"] == "You may not do this with the record."


def test_a_record_of_somebody_who_is_erased_meanwhile_does_not_come_back(
    app, bob, admin, monkeypatch
):
    """The journal as the undo has read it before the erasure was committed."""
    notes = app.extensions["collections"].get("notes")
    monkeypatch.setitem(notes.permissions, "admin", dict.fromkeys(ACTIONS, True))
    gone = bob.post("/api/records/notes", {"title": "his"}).json["recordId"]
    admin.new_chat()
    dead_turn = DeadTurn(app, admin, "admin")
    dead_turn.delete(gone)
    read = journal_of(app, dead_turn)[0].before
    erase(app, "bob")
    with app.app_context():
        db.session.execute(update(JournalEntry).values(before=read))
        db.session.commit()
    assert [one["recordId"] for one in dead_turn.undo()["conflicts"]] == [gone]
    assert all_of(admin, "notes") == {}


def test_the_feed_has_the_changes_and_the_journal_no_entries(app, dead_turn, note):
    ids = [dead_turn.create("new"), note("changed"), note("deleted")]
    dead_turn.update(ids[1], title="x")
    dead_turn.delete(ids[2])
    written = len(journal_of(app, dead_turn))
    with app.app_context():
        db.session.execute(delete(Outbox))
        db.session.commit()
    dead_turn.undo()
    with app.app_context():
        changes = db.session.scalars(select(Outbox).order_by(Outbox.seq)).all()
    assert {(c.record_id, c.action) for c in changes} == set(
        zip(ids, ("removed", "updated", "added"), strict=True)
    )
    assert len(journal_of(app, dead_turn)) == written


def test_a_killed_turns_writes_are_made_again_after_they_were_undone(app, alice):
    """Without an undo, the next try of the message would get their results without a write."""
    chat = alice.new_chat()
    asked = (
        f"call records.create with {json.dumps({'collection': 'notes', 'data': {'title': 'x'}})}"
    )
    chunks = alice.turn(chat, asked, userMessageId="u")
    turn_id = chunks[0]["messageMetadata"]["turnId"]
    with app.app_context():
        for table in ("turns", "messages"):
            db.session.execute(db.text(f"DELETE FROM {table}"))  # noqa: S608 - as after a kill
        db.session.execute(update(JournalEntry).values(user_message_id="u"))
        db.session.execute(delete(Claim))
        db.session.commit()
    assert len(undo(alice, turn_id).json["undone"]) == 1
    alice.turn(chat, asked, userMessageId="u")
    assert len(alice.records("notes")) == 1


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_a_message_is_not_tried_again_while_an_earlier_try_is_undone(app, alice, served_by):
    """The next try would give its model the results of changes that are being taken back."""
    chat, data = alice.new_chat(), {"title": "new"}
    create = model_streams.anthropic_call("records__create", {"collection": "notes", "data": data})
    served_by.answers = [Answer(create), Answer("data: {}\n\n")]
    alice.turn(chat, "go", userMessageId="u")
    [entry] = alice.get("/api/ai/journal").json["entries"]
    with app.app_context(), write_transaction() as session:
        lock_name(session.connection(), entry["recordId"])
        await_replies(session.connection())
        undoing = gevent.spawn(undo, alice, entry["turnId"])
        wait_for(is_lock_awaited)
        refused = alice.ask(chat, "go", userMessageId="u")
    assert (refused.status_code, refused.json["error"]) == (409, "conflict")
    assert undoing.get(timeout=30).json["conflicts"] == []
    served_by.answers = [Answer(create), Answer(model_streams.anthropic("done"))]
    alice.turn(chat, "go", userMessageId="u")
    [note] = alice.records("notes")
    assert note["recordId"] != entry["recordId"]


@on_sqlite
def test_the_model_is_told_that_changes_were_taken_back(alice, served_by):
    call = {"collection": "tasks", "data": {"title": "milk"}}
    served_by.answers = [
        Answer(model_streams.anthropic_call("records__create", call)),
        *[Answer(model_streams.anthropic("done"))] * 2,
    ]
    chat = alice.new_chat()
    turn_id = alice.turn(chat, "buy milk")[0]["messageMetadata"]["turnId"]
    assert undo(alice, turn_id).json["conflicts"] == []
    alice.turn(chat, "is it there?")
    assert UNDONE in json.dumps(served_by.seen[-1].json["messages"])
    assert UNDONE not in json.dumps(served_by.seen[-2].json["messages"])
