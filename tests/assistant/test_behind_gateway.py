"""A grant that is missing at the other instance: shown, waited for in vain, and told."""

import json
from datetime import datetime

import pytest

from service.auth import tokens
from tests.assistant.conftest import DONE, call
from tests.people import Person, text_of
from tests.permissions.calling import calls
from tests.services import on_sqlite
from tests.upstream import Answer, ScriptedUpstream

pytestmark = on_sqlite
CONTACTS = "cloudsuite/contacts-list"
SCOPES = ["https://suite.example/auth/contacts.readonly"]
JSON = {"Content-Type": "application/json"}
PAYLOAD = {"requiresOAuth": True, "provider": "cloudsuite", "scopes": SCOPES, "authUrl": "u"}


@pytest.fixture
def there():
    other = ScriptedUpstream()
    told = json.dumps({"success": True, "data": PAYLOAD})
    other.answers = [Answer(told, headers=JSON)]
    yield other
    other.stop()


@pytest.fixture
def configure(configure, there) -> dict:
    return {"integrations_gateway_url": there.url, "approval_seconds": 2, **configure}


def test_a_grant_missing_there_is_shown_and_told(alice, begin, chat, served_by, there):
    served_by.answers = [call(CONTACTS), DONE]
    turn = begin(alice, chat)
    path = f"/api/ai/chat/{chat}/approvals/{turn.part('data-approval')['toolCallId']}"
    assert alice.post(path, {"decision": "once"}).status_code == 200
    assert turn.part("data-consent")["scopes"] == SCOPES
    chunks = turn.end()
    assert turn.part("data-consent", "expired")
    error = next(one for one in chunks if one["type"] == "tool-output-error")
    assert "contacts.readonly" in error["errorText"]
    assert (text_of(chunks), len(there.seen)) == ("done", 1)


def answered(there, data):
    there.answers = [Answer(json.dumps({"success": True, "data": data}), headers=JSON)]


def chatting(alice, **limits):
    """alice with a limited token for chats."""
    made = alice.post("/api/tokens", {"scope": "chat", **limits}).json
    return Person("alice", alice.client, made["token"]), made


def test_a_token_for_chats_is_one_for_calls_there(alice, chat, served_by, there):
    answered(there, {"city": "Berlin"})
    served_by.answers = [call("geocode-city", city="Berlin"), DONE]
    mine, made = chatting(alice, ttl=60)
    chunks = mine.turn(chat, "where?")
    output = next(one["output"] for one in chunks if one["type"] == "tool-output-available")
    assert output == {"city": "Berlin"}
    bearer = there.seen[-1].headers["authorization"].removeprefix("Bearer ")
    sent = Person("alice", alice.client, bearer)
    assert sent.post("/api/integrations/geocode-city", {"city": "Berlin"}).status_code == 200
    assert sent.post("/api/ai/chats").status_code == 403, "and for nothing else"
    ends = datetime.fromisoformat(made["expiresAt"]).timestamp()
    assert tokens.peek(bearer)[1]["exp"] == ends


def test_what_only_turns_here_can_count_is_not_called_there(alice, begin, chat, served_by, there):
    answered(there, {"results": []})
    served_by.answers = [call("search-images", query="kites"), DONE]
    turn = begin(chatting(alice, credits=100)[0], chat)
    path = f"/api/ai/chat/{chat}/approvals/{turn.part('data-approval')['toolCallId']}"
    assert alice.post(path, {"decision": "once"}).status_code == 200
    error = next(one for one in turn.end() if one["type"] == "tool-output-error")
    assert ("without `credits`" in error["errorText"], there.seen) == (True, [])


def found(alice, chat, served_by, query):
    """What `integrations.find` tells, by endpoint."""
    served_by.answers = [Answer(calls(("integrations.find", {"query": query}))), DONE]
    ends = alice.turn(chat, "go")
    output = next(one["output"] for one in ends if one["type"] == "tool-output-available")
    return {one["endpoint"]: one for one in output["endpoints"]}


@pytest.mark.settings(sandbox="0", provider_a_api_key="k")
def test_what_can_be_called_there_needs_no_key_here(alice, chat, served_by):
    assert "search-images" in found(alice, chat, served_by, "search for pictures: images")
    listed = alice.get("/api/integrations/catalog").json["endpoints"]
    assert {one["name"] for one in listed if not one["configured"]} == set()


def test_whether_it_is_connected_is_what_the_other_instance_says(alice, chat, served_by, there):
    flags = {"connected": True, "contacts": True, "mailRead": False}
    there.answers = [Answer(json.dumps({"cloudsuite": flags}), headers=JSON)]
    told = found(alice, chat, served_by, "list contacts and mail")
    assert (told[CONTACTS]["connected"], told["cloudsuite/mail-list"]["connected"]) == (True, False)
    assert [one.path for one in there.seen] == ["/api/integrations/status"]
    there.answers = [Answer("<html>", "502 X")]
    assert "connected" not in found(alice, chat, served_by, "list contacts")[CONTACTS]


def test_what_needs_no_grant_is_found_without_asking_there(alice, chat, served_by, there):
    assert "connected" not in found(alice, chat, served_by, "geocode a city")["geocode-city"]
    assert there.seen == []
