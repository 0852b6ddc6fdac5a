"""Running turns as admins see and stop them."""

from service.admin import running
from tests.chat.turns import begin_turn
from tests.people import chunks_of, types
from tests.services import wait_for

TURNS = "/api/admin/turns"


def test_a_running_turn_is_listed_without_what_it_says(alice, bob, admin, monkeypatch):
    chat = alice.new_chat("canary-title")
    response, _, _ = begin_turn(alice, chat, "canary: count to 900", modelId="gen-5.4")
    listed = admin.get(TURNS)
    assert "canary" not in listed.text
    [turn] = listed.json["turns"]
    assert (turn["subject"], turn["chatId"], turn["modelId"]) == ("alice", chat, "gen-5.4")
    assert turn["worker"].startswith("lease_")
    assert (turn["ending"], listed.json["total"]) == (False, 1)
    assert turn["startedAt"]
    monkeypatch.setattr(running, "MOST_TURNS", 1)
    newer, _, _ = begin_turn(bob, bob.new_chat(), "count to 900")
    listed = admin.get(TURNS).json
    assert (listed["turns"], listed["total"]) == ([turn], 2), "the newer one does not fit"
    newer.close()
    admin.post(f"{TURNS}/{turn['turnId']}/stop")
    response.close()


def test_an_admin_stops_a_turn_and_its_user_keeps_what_was_said(alice, admin):
    chat = alice.new_chat()
    _, stream, read = begin_turn(alice, chat)
    [turn] = admin.get(TURNS).json["turns"]
    assert admin.post(f"{TURNS}/{turn['turnId']}/stop").json == {"stopped": True}
    chunks = chunks_of(read + b"".join(stream))
    assert types(chunks)[-1] == "abort"
    assert "1 2" in alice.rows(chat)[1]["content"]
    wait_for(lambda: admin.get(TURNS).json == {"turns": [], "total": 0})
    assert admin.post(f"{TURNS}/{turn['turnId']}/stop").json == {"stopped": False}
    [action] = admin.get("/api/admin/actions").json["actions"]
    assert (action["action"], action["subject"]) == ("stop", "alice")
    assert action["facts"] == {"turnId": turn["turnId"]}
