"""Creating, renaming and deleting chats."""

import gevent
import pytest
from sqlalchemy import select

from service.chat.models import Chat, Claim
from service.database.access import write_transaction
from service.extensions import db
from tests.services import on_sqlite

LISTS = ("ai-chats", "ai-messages")


@on_sqlite
def test_a_chat_is_created_for_the_tokens_subject(alice):
    response = alice.post("/api/ai/chats", {"title": "Plans"})
    assert response.status_code == 201
    chat = response.json["chat"]
    assert list(chat) == ["recordId", "userId", "title", "createdAt", "updatedAt"]
    assert (chat["userId"], chat["title"]) == ("alice", "Plans")
    assert chat["createdAt"].endswith("Z")


@on_sqlite
def test_a_chat_needs_no_title_and_no_body(alice):
    assert alice.request("POST", "/api/ai/chats").json["chat"]["title"] == ""
    key = {"Idempotency-Key": "k"}
    first = alice.post("/api/ai/chats", {"title": None}, headers=key)
    assert (first.status_code, first.json["chat"]["title"]) == (201, "")
    assert alice.post("/api/ai/chats", {}, headers=key).json == first.json, "the same body"


@on_sqlite
def test_a_chat_is_created_once_for_a_key(alice, bob):
    def create(person, **body):
        return person.post("/api/ai/chats", body, headers={"Idempotency-Key": "k"})

    first = create(alice, title="Plans")
    assert create(alice, title="Plans").json == first.json
    alice.patch(f"/api/ai/chats/{first.json['chat']['recordId']}", {"title": "New"})
    assert create(alice, title="Plans").json["chat"]["title"] == "New"
    assert len(alice.records("ai-chats")) == 1
    assert create(alice, title="Other").status_code == 409
    assert create(bob, title="Plans").json["chat"]["userId"] == "bob"
    alice.delete(f"/api/ai/chats/{first.json['chat']['recordId']}")
    assert create(alice, title="Plans").status_code == 404
    described = alice.get("/openapi.json").json["paths"]["/api/ai/chats"]["post"]["responses"]
    assert described.keys() >= {"201", "404", "409"}


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_a_repeated_create_waits_for_nobody_who_has_locked_the_chat(app, alice):
    """An erasure locks chats, then its user, whose row the create has locked already."""

    def create():
        return alice.post("/api/ai/chats", {}, headers={"Idempotency-Key": "k"})

    first = create()
    with app.app_context(), write_transaction() as session:
        session.execute(select(Chat.seq).with_for_update())
        assert gevent.spawn(create).get(timeout=30).json == first.json


@on_sqlite
def test_a_chat_with_a_bad_key_is_not_created(alice):
    for key in ("", " ", "ä", "x" * 256):
        refused = alice.post("/api/ai/chats", {}, headers={"Idempotency-Key": key})
        assert (refused.status_code, list(refused.json["details"])) == (400, ["Idempotency-Key"])
    assert alice.records("ai-chats") == []


@on_sqlite
def test_nobody_creates_a_chat_for_another(alice):
    response = alice.post("/api/ai/chats", {"userId": "bob"})
    assert response.json["details"] == {"userId": ["Unknown field."]}


@on_sqlite
def test_a_chat_is_renamed(alice):
    chat = alice.new_chat()
    response = alice.patch(f"/api/ai/chats/{chat}", {"title": "New"})
    assert response.status_code == 200
    assert response.json["chat"]["title"] == "New"
    assert alice.records("ai-chats")[0]["data"]["title"] == "New"


BAD_TITLES = [" ", "\t\n", "\u3000", "x" * 201, 5, "a\x00"]


@on_sqlite
def test_a_chat_with_a_bad_title_is_not_created(alice):
    for title in BAD_TITLES:
        assert alice.post("/api/ai/chats", {"title": title}).status_code == 400, title
    assert alice.records("ai-chats") == []


@on_sqlite
def test_a_bad_title_is_refused_and_the_old_one_stays(alice):
    chat = alice.new_chat("Old")
    for title in (*BAD_TITLES, "", None):
        assert alice.patch(f"/api/ai/chats/{chat}", {"title": title}).status_code == 400, title
        assert alice.records("ai-chats")[0]["data"]["title"] == "Old", title


def test_a_deleted_chat_takes_its_messages_along(alice):
    chat, other = alice.new_chat(), alice.new_chat()
    alice.turn(chat, "who am I")
    alice.turn(other, "who am I")
    assert alice.delete(f"/api/ai/chats/{chat}").json == {"success": True}
    assert {record["data"]["chatId"] for record in alice.records("ai-messages")} == {other}
    assert alice.delete(f"/api/ai/chats/{chat}").status_code == 404


@on_sqlite
def test_another_user_can_not_rename_or_delete_a_chat(alice, bob):
    chat = alice.new_chat("Mine")
    for path in (chat, "chat_absent", "%00"):
        renamed = bob.patch(f"/api/ai/chats/{path}", {"title": "Stolen"})
        deleted = bob.delete(f"/api/ai/chats/{path}")
        assert renamed.status_code == deleted.status_code == 404
        assert renamed.json == deleted.json == bob.delete("/api/ai/chats/x").json
    assert alice.records("ai-chats")[0]["data"]["title"] == "Mine"


@on_sqlite
def test_an_admin_has_no_right_to_anothers_chat(alice, admin):
    chat = alice.new_chat()
    assert admin.delete(f"/api/ai/chats/{chat}").status_code == 404
    assert [admin.records(name) for name in LISTS] == [[], []]


@on_sqlite
def test_the_models_are_listed(alice):
    models = alice.get("/api/ai/models").json["models"]
    assert len(models) == 7
    assert [model["id"] for model in models if model["default"]] == ["llm-sonnet-4-6"]
    assert all(model["configured"] for model in models)


def test_a_chat_is_pinned_and_unpinned(alice, bob):
    chat = alice.new_chat("Plans")
    path = f"/api/ai/chats/{chat}"
    pinned = alice.patch(path, {"pinned": True}).json["chat"]
    assert (pinned["pinned"], pinned["title"]) == (True, "Plans")
    alice.new_chat("other")
    kept = alice.records("ai-chats", where={"pinned": True})
    assert [record["recordId"] for record in kept] == [chat]
    assert alice.patch(path, {"pinned": False, "title": "New"}).json["chat"]["pinned"] is False
    assert bob.patch(path, {"pinned": True}).status_code == 404


@on_sqlite
def test_a_chat_that_has_changed_since_it_was_read_stays_as_it_is(alice):
    created = alice.post("/api/ai/chats", {"title": "Plans"}).json["chat"]
    path, stale = f"/api/ai/chats/{created['recordId']}", created["updatedAt"]
    renamed = alice.patch(path, {"title": "New"}, headers={"If-Match": f'"{stale}"'}).json["chat"]
    for version, status in ((stale, 409), ("yesterday", 400)):
        headers = {"If-Match": version}
        assert alice.patch(path, {"title": "x"}, headers=headers).status_code == status, version
        assert alice.delete(path, headers=headers).status_code == status, version
    assert alice.records("ai-chats")[0]["data"]["title"] == "New"
    assert alice.delete(path, headers={"If-Match": renamed["updatedAt"]}).status_code == 200


@on_sqlite
def test_an_update_without_a_change_is_refused(alice):
    chat = alice.new_chat("Plans")
    for body in ({}, {"pinned": "true"}, {"pinned": 1}, {"pinned": None}, {"x": 1}):
        assert alice.patch(f"/api/ai/chats/{chat}", body).status_code == 400, body
        assert "pinned" not in alice.records("ai-chats")[0]["data"], body


def test_only_a_message_moves_a_chat_in_the_list(alice):
    chat, path = alice.new_chat("Plans"), "/api/records/ai-chats"
    created = alice.records("ai-chats")[0]
    assert "activeAt" not in created["data"]
    renamed = alice.patch(f"/api/ai/chats/{chat}", {"title": "New"}).json["chat"]
    assert renamed["activeAt"] == created["updatedAt"] < renamed["updatedAt"]
    pinned = alice.patch(f"{path}/{chat}", {"pinned": True}).json
    assert pinned["data"]["activeAt"] == created["updatedAt"]
    alice.turn(chat, "who am I")
    moved = alice.records("ai-chats")[0]
    assert moved["data"]["activeAt"] == moved["updatedAt"] > pinned["updatedAt"]
    assert alice.patch(f"{path}/{chat}", {"activeAt": "2020-01-01T00:00:00Z"}).status_code == 400


def test_a_turn_in_a_chat_whose_id_no_chat_can_have_is_not_found(alice, app):
    """Nothing is claimed for it: a claim has no room for an id that is longer than any."""
    for length in (64, 65, 128):
        body = {"chatId": "c" * length, "userMessageId": "u-1", "content": "hello"}
        for replaces in (None, "u-1"):
            absent = alice.post("/api/ai/chat", body | {"replaces": replaces})
            assert (absent.status_code, absent.json["error"]) == (404, "not_found"), length
        unknown = alice.post("/api/ai/chat", body | {"modelId": "none-such"})
        assert (unknown.status_code, unknown.json["error"]) == (400, "invalid_model")
    with app.app_context():
        assert db.session.scalars(select(Claim)).all() == []
        db.session.commit()
