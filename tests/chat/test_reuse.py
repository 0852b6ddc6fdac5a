"""The same user message id sent again: replay, regeneration, conflict."""

import pytest

from service.chat.models import Claim, Lease
from service.database.access import write_transaction
from service.database.clock import from_now
from tests.people import text_of, types
from tests.services import on_sqlite


@on_sqlite
def test_a_network_retry_gets_the_stored_answer_and_pays_nothing(alice, chat, upstream, app):
    first = alice.turn(chat, "Which collections, and who am I?", userMessageId="u")
    paid = alice.get("/api/credits").json["balance"]
    again = alice.ask(chat, "Which collections, and who am I?", userMessageId="u")
    chunks = again.get_data()
    assert again.headers["X-Asst-Id"] == first[0]["messageId"]
    assert chunks.count(b"tool-output-available") == 2
    assert chunks.endswith(b"data: [DONE]\n\n")
    assert alice.get("/api/credits").json["balance"] == paid
    assert len(alice.rows(chat)) == 2


@on_sqlite
@pytest.mark.parametrize("content", ["who am I", "use invalid input", "describe nothing-here"])
def test_the_replay_assembles_to_the_stored_parts(alice, chat, content):
    first = alice.turn(chat, content, userMessageId="u")
    again = alice.turn(chat, content, userMessageId="u")
    assert text_of(again) == text_of(first)
    assert again[-1] == first[-1]
    kinds = [kind for kind in types(first) if "delta" not in kind and kind != "tool-input-start"]
    assert [kind for kind in types(again) if "delta" not in kind] == kinds


@on_sqlite
def test_a_replay_makes_no_model_call(served_by, alice, chat, stream_of):
    served_by.answers = [stream_of("once")]
    for _ in range(3):
        assert text_of(alice.turn(chat, "hello", userMessageId="u")) == "once"
    assert len(served_by.seen) == 1


@on_sqlite
def test_regeneration_makes_a_new_answer_in_place_of_the_old(served_by, alice, chat, stream_of):
    served_by.answers = [stream_of("old"), stream_of("new")]
    old = alice.turn(chat, "hello", userMessageId="u")
    new = alice.turn(chat, "hello", userMessageId="u", trigger="regenerate-message")
    assert (text_of(old), text_of(new)) == ("old", "new")
    assert [row["content"] for row in alice.rows(chat)] == ["hello", "new"]
    assert [m["content"][0]["text"] for m in served_by.seen[1].json["messages"]] == ["hello"]


@on_sqlite
def test_other_content_replaces_the_last_message(alice, chat):
    alice.turn(chat, "repeat after me: one")
    alice.turn(chat, "repeat after me: two", userMessageId="u")
    alice.turn(chat, "repeat after me: three", userMessageId="u")
    contents = [row["content"] for row in alice.rows(chat)]
    assert contents == ["repeat after me: one", "one", "repeat after me: three", "three"]


@on_sqlite
def test_a_failed_regeneration_leaves_the_old_answer(alice, chat):
    alice.turn(chat, "hello", userMessageId="u")
    before = alice.rows(chat)
    chunks = alice.turn(chat, "/fail error-midway", userMessageId="u")
    assert types(chunks)[-1] == "error"
    assert alice.rows(chat) == before


@on_sqlite
@pytest.mark.parametrize("body", [{}, {"trigger": "regenerate-message"}, {"content": "other"}])
def test_a_question_whose_answer_was_deleted_is_answered_anew(alice, chat, body):
    first = alice.turn(chat, "repeat after me: one")
    answer = alice.turn(chat, "hello", userMessageId="u")[0]["messageId"]
    assert alice.delete(f"/api/records/ai-messages/{answer}").status_code == 200
    again = alice.turn(chat, **{"content": "hello", "userMessageId": "u", **body})
    assert again[0]["messageId"] not in (answer, first[0]["messageId"])
    asked = body.get("content", "hello")
    contents = [row["content"] for row in alice.rows(chat)]
    assert contents == ["repeat after me: one", "one", asked, text_of(again)]


@on_sqlite
def test_an_earlier_message_cannot_be_answered_again(alice, chat):
    alice.turn(chat, "hello", userMessageId="first")
    alice.turn(chat, "hello", userMessageId="second")
    assert alice.ask(chat, "hello", userMessageId="first").status_code == 409


@on_sqlite
def test_an_id_of_another_chat_is_a_conflict(alice, chat):
    alice.turn(chat, "hello", userMessageId="u")
    other = alice.new_chat()
    response = alice.ask(other, "hello", userMessageId="u")
    assert (response.status_code, response.json["error"]) == (409, "conflict")
    assert alice.rows(other) == []


@on_sqlite
def test_an_assistants_id_is_no_user_message_id(alice, chat):
    answer = alice.turn(chat, "hello")[0]["messageId"]
    assert alice.ask(chat, "hello", userMessageId=answer).status_code == 409


def test_while_a_turn_runs_its_id_is_taken(alice, chat):
    running = alice.ask(chat, "count to 500", userMessageId="u")
    stream = iter(running.response)
    next(stream)
    second = alice.ask(chat, "count to 500", userMessageId="u")
    assert (second.status_code, second.headers["Retry-After"]) == (409, "5")
    running.close()


def test_while_its_regeneration_runs_the_old_answer_is_not_given(alice, chat):
    alice.turn(chat, "count to 500", userMessageId="u")
    body = {"userMessageId": "u", "trigger": "regenerate-message"}
    running = alice.ask(chat, "count to 500", **body)
    next(iter(running.response))
    again = alice.ask(chat, "count to 500", userMessageId="u")
    assert (again.status_code, again.headers.get("Retry-After")) == (409, "5")
    running.close()


def test_a_regeneration_whose_worker_has_died_leaves_the_old_answer_to_a_retry(app, alice, chat):
    first = alice.turn(chat, "hello", userMessageId="u")
    lost = {"lease_id": "lost", "model": "gen-5.4"}
    of_message = {"user_id": "alice", "user_message_id": "u", "chat_id": chat}
    with app.app_context(), write_transaction() as session:
        session.add(Lease(lease_id="lost", expires_at=from_now(-1)))
        session.add(Claim(turn_id="turn_lost", **of_message, **lost))
    assert alice.post(f"/api/ai/chat/{chat}/stop").json == {"stopped": False}
    assert text_of(alice.turn(chat, "hello", userMessageId="u")) == text_of(first)
