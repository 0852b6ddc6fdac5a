"""The writes of a try that ended without rows are reported to the next try, with their results."""

import pytest
from sqlalchemy import select

from service.auth.users import rights_cache
from service.chat.models import JournalEntry
from service.extensions import db
from tests import model_streams
from tests.chat.dead_turn import undo
from tests.chat.gated_turns import begin, end, gated_answer
from tests.people import text_of
from tests.services import on_sqlite
from tests.upstream import Answer
from tests.user_erasure import disable

pytestmark = on_sqlite
NOTES = {"collection": "notes"}
CUT = Answer("data: {}\n\n")
DONE = Answer(model_streams.anthropic("done"))


def call(name, **given):
    return Answer(model_streams.anthropic_call(f"records__{name}", {**NOTES, **given}))


def failed(alice, served_by, chat, *calls, message="u"):
    """A turn that does these calls and then fails."""
    served_by.answers = [*calls, CUT]
    assert alice.turn(chat, "go", userMessageId=message)[-1]["type"] == "error"
    served_by.seen.clear()


def outputs(chunks):
    return [chunk["output"] for chunk in chunks if chunk["type"] == "tool-output-available"]


def again(alice, served_by, chat, *calls, message="u"):
    served_by.answers = [*calls, DONE]
    chunks = alice.turn(chat, "go", userMessageId=message)
    assert text_of(chunks) == "done"
    return outputs(chunks)


def told(served_by):
    """The texts of the newest user message, in the first prompt."""
    return [part["text"] for part in served_by.seen[0].json["messages"][-1]["content"]]


def test_each_kind_of_write_gives_its_earlier_result(alice, served_by, chat):
    kept = alice.post("/api/records/notes", {"title": "kept"}).json["recordId"]
    gone = alice.post("/api/records/notes", {"title": "gone"}).json["recordId"]
    calls = [
        call("create", data={"title": "new"}),
        call("update", recordId=kept, data={"title": "changed"}),
        call("delete", recordId=gone),
    ]
    failed(alice, served_by, chat, *calls)
    before = alice.records("notes")
    created, updated, deleted = again(alice, served_by, chat, *calls)
    assert {record["recordId"]: record for record in (created, updated)} == {
        record["recordId"]: record for record in before
    }
    assert deleted == {"deleted": gone}
    assert alice.records("notes") == before


def test_a_write_with_another_text_is_another_write(alice, served_by, chat):
    failed(alice, served_by, chat, call("create", data={"title": "a"}))
    again(alice, served_by, chat, call("create", data={"title": "b"}))
    assert len(alice.records("notes")) == 2


def test_a_write_for_another_message_is_made(alice, bob, served_by, chat):
    make = call("create", data={"title": "a"})
    failed(alice, served_by, chat, make)
    again(alice, served_by, chat, make, message="v")
    again(alice, served_by, alice.new_chat(), make, message="u")
    again(bob, served_by, bob.new_chat(), make, message="u")
    assert (len(alice.records("notes")), len(bob.records("notes"))) == (3, 1)
    assert "An earlier try" not in str([seen.json for seen in served_by.seen])


def test_tries_that_die_one_after_the_other_write_once(alice, served_by, chat):
    make = call("create", data={"title": "a"})
    for _ in range(3):
        failed(alice, served_by, chat, make)
    again(alice, served_by, chat, make)
    assert len(alice.records("notes")) == 1


@pytest.mark.settings(keep_aborted_turns="false")
def test_a_try_that_was_aborted_and_not_kept_writes_once(alice, served_by, chat):
    make = call("create", data={"title": "a"})
    stop(alice, served_by, chat, make)
    [record] = again(alice, served_by, chat, make)
    assert [note["recordId"] for note in alice.records("notes")] == [record["recordId"]]
    assert told(served_by)[0].startswith("[An earlier try")


def test_a_try_that_was_aborted_and_kept_is_an_answer(alice, served_by, chat):
    """Sent again it is told again; asked for anew it is written anew, as after any answer."""
    make = call("create", data={"title": "a"})
    stop(alice, served_by, chat, make)
    served_by.answers = [make, DONE]
    assert alice.turn(chat, "go", userMessageId="u")[-1]["type"] == "abort"
    assert (len(served_by.seen), len(alice.records("notes"))) == (0, 1)
    alice.turn(chat, "go", userMessageId="u", trigger="regenerate-message")
    assert len(alice.records("notes")) == 2
    assert "An earlier try" not in str(served_by.seen[0].json)


def stop(alice, served_by, chat, *calls):
    """A turn that does these calls, and is then stopped."""

    def stopping(_seen):
        assert alice.post(f"/api/ai/chat/{chat}/stop").json == {"stopped": True}
        return CUT

    served_by.answers = [*calls, stopping]
    assert alice.turn(chat, "go", userMessageId="u")[-1]["type"] == "abort"
    served_by.seen.clear()


def test_to_undo_the_answer_takes_back_what_earlier_tries_have_written(alice, served_by, chat):
    """What the answer was given again, and what its model was only told of."""
    again_asked, only_told = (call("create", data={"title": title}) for title in "ab")
    failed(alice, served_by, chat, again_asked, only_told)
    [made] = again(alice, served_by, chat, again_asked)
    turn = turn_of(alice, chat)
    answer = alice.post(f"/api/ai/turns/{turn}/undo").json
    assert (len(answer["undone"]), answer["conflicts"]) == (2, [])
    assert made["recordId"] in [one["recordId"] for one in answer["undone"]]
    assert alice.records("notes") == []
    entries = alice.get("/api/ai/journal").json["entries"]
    assert [(entry["turnId"], entry["undone"]) for entry in entries] == [(turn, True)] * 2


def turn_of(alice, chat):
    """The id of the last turn that has answered."""
    turns = [one for one in alice.records("ai-turns") if one["data"]["chatId"] == chat]
    return turns[-1]["recordId"]


def test_a_write_that_was_undone_before_is_not_the_answers(alice, served_by, chat):
    served_by.answers = [call("create", data={"title": "a"}), CUT]
    failing = alice.turn(chat, "go", userMessageId="u")[0]["messageMetadata"]["turnId"]
    assert len(alice.post(f"/api/ai/turns/{failing}/undo").json["undone"]) == 1
    served_by.seen.clear()
    again(alice, served_by, chat)
    assert "An earlier try" not in str(served_by.seen[0].json)
    assert alice.post(f"/api/ai/turns/{turn_of(alice, chat)}/undo").json["undone"] == []


def test_the_model_is_told_with_the_message_and_nothing_is_stored(alice, served_by, chat):
    failed(alice, served_by, chat, call("create", data={"title": "a"}))
    again(alice, served_by, chat)
    note, content, time = told(served_by)
    assert note.startswith("[An earlier try to answer the next message broke off")
    assert (content, time[:18]) == ("go", "[Added by the app:")
    assert alice.rows(chat)[0]["content"] == "go"
    served_by.seen.clear()
    again(alice, served_by, chat, message="v")
    assert "An earlier try" not in str(served_by.seen[0].json)


def test_a_long_list_is_told_in_short(alice, served_by, chat):
    with alice.client.application.app_context():
        for number in range(50):
            db.session.add(entry(chat, str(number)))
        db.session.commit()
    again(alice, served_by, chat)
    lines = told(served_by)[0].splitlines()
    assert (len(lines), lines[-2]) == (23, "- and 30 more")


def entry(chat, record):
    turn = {"turn_id": "dead", "chat_id": chat, "user_id": "alice", "user_message_id": "u"}
    what = {"tool": "records.create", "collection": "notes", "record_id": record}
    return JournalEntry(**turn, **what, owner="alice", outcome="added")


def test_a_deleted_chat_leaves_no_text_in_the_journal(app, alice, served_by, chat):
    failed(alice, served_by, chat, call("create", data={"title": "secret"}))
    alice.delete(f"/api/ai/chats/{chat}")
    with app.app_context():
        [row] = db.session.scalars(select(JournalEntry)).all()
        assert (row.before, row.after) == (None, None)
        db.session.commit()


def test_a_user_without_rights_gets_no_earlier_result(alice, app, served_by, chat):
    """The tool asks for the right of the moment, as the first time."""
    make = call("create", data={"title": "a"})
    failed(alice, served_by, chat, make)

    def disabling(seen):
        disable(app)
        rights_cache.clear()
        return make

    served_by.answers = [disabling, DONE]
    chunks = alice.turn(chat, "go", userMessageId="u")
    assert [c["errorText"] for c in chunks if c["type"] == "tool-output-error"] == [
        "This user is disabled."
    ]


@pytest.mark.settings(extensions="tests.permissions.rule_collections")
def test_what_a_user_may_not_read_is_in_no_earlier_result(alice, served_by, chat):
    """Users may create and update records of this collection, and not read them."""
    made = alice.post("/api/records/grid-1", {"title": "a"}).json["recordId"]
    update = call("update", collection="grid-1", recordId=made, data={"title": "b"})
    failed(alice, served_by, chat, update)
    [updated] = again(alice, served_by, chat, update)
    assert (updated["recordId"], updated["data"]) == (made, {})


def test_the_writes_of_an_earlier_try_are_not_undone_while_the_next_one_runs(
    alice, served_by, chat
):
    """The next try has read them, and returns their results to its model."""
    create = {**NOTES, "data": {"title": "new"}}
    failed(alice, served_by, chat, call("create", data=create["data"]))
    [entry] = alice.get("/api/ai/journal").json["entries"]
    repeated, gate = gated_answer(model_streams.anthropic_call("records__create", create).encode())
    served_by.answers = [repeated, DONE]
    response = begin(alice, served_by, chat)
    refused = undo(alice, entry["turnId"])
    [created] = outputs(end(response, gate))
    assert (refused.status_code, refused.json["error"]) == (409, "conflict")
    assert alice.records("notes") == [created]
    [moved] = alice.get("/api/ai/journal").json["entries"]
    assert undo(alice, moved["turnId"]).json["conflicts"] == []
    assert alice.records("notes") == []
