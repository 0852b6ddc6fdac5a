"""Creating, renaming and deleting chats."""

import pytest

LISTS = ("ai-chats", "ai-messages")


def test_a_chat_is_created_for_the_tokens_subject(alice):
    response = alice.post("/api/ai/chats", {"title": "Plans"})
    assert response.status_code == 201
    chat = response.json["chat"]
    assert list(chat) == ["recordId", "userId", "title", "createdAt", "updatedAt"]
    assert (chat["userId"], chat["title"]) == ("alice", "Plans")
    assert chat["createdAt"].endswith("Z")


def test_a_chat_needs_no_title_and_no_body(alice):
    assert alice.request("POST", "/api/ai/chats").json["chat"]["title"] == ""


def test_nobody_creates_a_chat_for_another(alice):
    response = alice.post("/api/ai/chats", {"userId": "bob"})
    assert response.json["details"] == {"userId": ["Unknown field."]}


def test_a_chat_is_renamed(alice):
    chat = alice.new_chat()
    response = alice.patch(f"/api/ai/chats/{chat}", {"title": "New"})
    assert response.status_code == 200
    assert response.json["chat"]["title"] == "New"
    assert alice.records("ai-chats")[0]["data"]["title"] == "New"


@pytest.mark.parametrize("title", ["", "x" * 201, None, 5, "a\x00"])
def test_a_bad_title_is_refused_and_the_old_one_stays(alice, title):
    chat = alice.new_chat("Old")
    assert alice.patch(f"/api/ai/chats/{chat}", {"title": title}).status_code == 400
    assert alice.records("ai-chats")[0]["data"]["title"] == "Old"


def test_a_deleted_chat_takes_its_messages_along(alice):
    chat, other = alice.new_chat(), alice.new_chat()
    alice.turn(chat, "who am I")
    alice.turn(other, "who am I")
    assert alice.delete(f"/api/ai/chats/{chat}").json == {"success": True}
    assert {record["data"]["chatId"] for record in alice.records("ai-messages")} == {other}
    assert alice.delete(f"/api/ai/chats/{chat}").status_code == 404


def test_another_cannot_rename_or_delete(alice, bob):
    chat = alice.new_chat("Mine")
    for path in (chat, "chat_absent", "%00"):
        renamed = bob.patch(f"/api/ai/chats/{path}", {"title": "Stolen"})
        deleted = bob.delete(f"/api/ai/chats/{path}")
        assert renamed.status_code == deleted.status_code == 404
        assert renamed.json == deleted.json == bob.delete("/api/ai/chats/x").json
    assert alice.records("ai-chats")[0]["data"]["title"] == "Mine"


def test_an_admin_has_no_right_to_anothers_chat(alice, admin):
    chat = alice.new_chat()
    assert admin.delete(f"/api/ai/chats/{chat}").status_code == 404
    assert [admin.records(name) for name in LISTS] == [[], []]


def test_the_models_are_listed(alice):
    models = alice.get("/api/ai/models").json["models"]
    assert len(models) == 7
    assert [model["id"] for model in models if model["default"]] == ["llm-sonnet-4-6"]
    assert all(model["configured"] for model in models)
