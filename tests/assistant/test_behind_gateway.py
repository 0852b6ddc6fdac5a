"""The assistant behind a gateway: what is found, whose token is sent, and grants given there."""

import json
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import gevent
import pytest
from gevent.event import Event

from service.assistant import grants
from service.auth import tokens
from service.chat.calling import waits
from service.integrations.calling import gateway
from tests.assistant.endpoint_calls import DONE, allow, call
from tests.mcp.era_clients import Speaker
from tests.people import Person, text_of
from tests.permissions.scripted_calls import stream_of_calls
from tests.services import on_sqlite, wait_for
from tests.upstream import Answer, ScriptedUpstream, Seen

pytestmark = on_sqlite
CONTACTS = "cloudsuite/contacts-list"
SCOPES = ["https://suite.example/auth/contacts.readonly"]
LINK = "https://suite.example/authorize?client_id=theirs"
JSON = {"Content-Type": "application/json"}
PAYLOAD = {"requiresOAuth": True, "provider": "cloudsuite", "scopes": SCOPES, "authUrl": LINK}
STATUS = "/api/integrations/status"


@dataclass
class Office:
    """What the other instance answers: data once it has the grant, and the flags of its status."""

    is_granted: bool = False
    flags: dict[str, Any] = field(default_factory=lambda: {"connected": False, "contacts": False})
    is_open: Event = field(default_factory=Event)  # whether it tells its status
    pause: float = 0.0  # seconds before it does

    def __call__(self, seen: Seen) -> Answer:
        if seen.path == STATUS:
            self.is_open.wait(30)
            gevent.sleep(self.pause)
            return Answer(json.dumps({"cloudsuite": self.flags}), headers=JSON)
        data = {"from": "there"} if self.is_granted or "suite" not in seen.path else PAYLOAD
        return Answer(json.dumps({"success": True, "data": data}), headers=JSON)

    def grant(self) -> None:
        self.is_granted, self.flags = True, {"connected": True, "contacts": True}


@pytest.fixture
def office():
    office = Office()
    office.is_open.set()
    yield office
    office.is_open.set()


@pytest.fixture
def there(office):
    other = ScriptedUpstream()
    other.answers = [office]
    yield other
    other.stop()


@pytest.fixture
def configure(configure, there) -> dict:
    return {"integrations_gateway_url": there.url, "approval_seconds": 2, **configure}


@pytest.fixture(autouse=True)
def asks_often(monkeypatch):
    monkeypatch.setattr(grants, "PAUSE_SECONDS", 0.02)


def called(there):
    return [seen.path for seen in there.seen if seen.path != STATUS]


def ends(chunks):
    return [one for one in chunks if one["type"].startswith("tool-output")]


def test_a_grant_missing_at_the_other_instance_is_shown_and_reported(
    alice, begin, chat, served_by, there
):
    served_by.answers = [call(CONTACTS), DONE]
    turn = begin(alice, chat)
    allow(alice, chat, turn.part("data-approval"))
    assert turn.part("data-consent")["scopes"] == SCOPES
    chunks = turn.end()
    assert turn.part("data-consent", "expired")
    assert "contacts.readonly" in ends(chunks)[0]["errorText"]
    assert (text_of(chunks), len(called(there))) == ("done", 1)


@pytest.mark.settings(starting_credits=8)  # enough for a step, and too few for this call
def test_the_users_account_here_does_not_pay_a_call_that_is_made_there(
    alice, begin, chat, served_by, there
):
    served_by.answers = [call("aivideo-create-video", prompt="a lighthouse"), DONE]
    turn = begin(alice, chat)
    allow(alice, chat, turn.part("data-approval"))
    turn.end()
    assert len(called(there)) == 1


@pytest.mark.settings(approval_seconds=20)
def test_a_grant_given_there_lets_the_call_go_on(alice, begin, chat, served_by, there, office):
    served_by.answers = [call(CONTACTS), DONE]
    turn = begin(alice, chat)
    allow(alice, chat, turn.part("data-approval"))
    turn.part("data-consent")
    office.grant()
    chunks = turn.end()
    assert turn.part("data-consent", "granted")
    assert ends(chunks)[0]["output"] == {"from": "there"}
    assert {seen.headers["authorization"] for seen in there.seen} == {f"Bearer {alice.token}"}


def test_a_flag_that_was_set_before_the_refusal_is_no_new_grant(
    alice, begin, chat, served_by, there, office
):
    office.flags = {"connected": True, "contacts": True}
    served_by.answers = [call(CONTACTS), DONE]
    turn = begin(alice, chat)
    allow(alice, chat, turn.part("data-approval"))
    turn.part("data-consent", "expired")
    turn.end()
    assert len(called(there)) == 1


@pytest.mark.parametrize("failure", ["502 Bad Gateway", "429 Too Many Requests"])
def test_a_flag_that_could_not_be_read_at_first_is_no_new_grant(
    alice, begin, chat, served_by, there, office, failure
):
    office.flags = {"connected": True, "contacts": True}
    refused = Answer(json.dumps({"success": False, "error": "?"}), failure, JSON)

    def answer(seen):
        if seen.path != STATUS:
            return office(seen)
        there.answers = [office]
        return refused

    there.answers = [answer]
    served_by.answers = [call(CONTACTS), DONE]
    turn = begin(alice, chat)
    allow(alice, chat, turn.part("data-approval"))
    turn.end()
    assert turn.part("data-consent", "expired")
    assert len(called(there)) == 1


@pytest.mark.settings(approval_seconds=60)
def test_decisions_do_not_wait_for_the_other_instance(
    alice, begin, chat, served_by, office, monkeypatch
):
    monkeypatch.setattr(waits, "LONGEST_LOOK", 60.0)
    monkeypatch.setattr(grants, "STATUS_SECONDS", 60.0)
    searches = [
        {"endpoint": "search-images", "body": {"query": word}} for word in ("owls", "kites")
    ]
    wanted = [{"endpoint": CONTACTS, "body": {}}, *searches]
    served_by.answers = [
        Answer(stream_of_calls(*(("integrations.call", one) for one in wanted))),
        DONE,
    ]
    turn = begin(alice, chat)

    def cards():
        parts = [one["data"] for one in turn.chunks if one["type"] == "data-approval"]
        return sorted((part for part in parts if part["state"] == "asked"), key=_endpoint)

    wait_for(lambda: len(cards()) == 3)
    allow(alice, chat, cards()[0])
    turn.part("data-consent")
    office.is_open.clear()
    allow(alice, chat, cards()[1], "chat")  # its worker finds what that says of the other search
    wait_for(lambda: len(ends(turn.chunks)) == 2, 10)
    alice.post(f"/api/ai/chat/{chat}/stop")
    turn.end()


@pytest.mark.settings(approval_seconds=60)
def test_a_grant_is_seen_beside_others_that_take_long_to_ask_for(
    alice, begin, chat, served_by, office, monkeypatch
):
    monkeypatch.setattr(waits, "LONGEST_LOOK", 0.5)
    wanted = ["cloudsuite/mail-list", "cloudsuite/drive-list", CONTACTS]
    made = (("integrations.call", {"endpoint": one, "body": {}}) for one in wanted)
    served_by.answers = [Answer(stream_of_calls(*made)), DONE]
    turn = begin(alice, chat)
    for number, name in enumerate(wanted, 1):
        wait_for(lambda name=name: name in shown(turn, "data-approval"))
        allow(alice, chat, shown(turn, "data-approval")[name])
        wait_for(lambda number=number: len(shown(turn, "data-consent")) == number)
    office.pause = 0.3
    office.grant()
    wait_for(lambda: shown(turn, "data-consent")[CONTACTS]["state"] == "granted", 10)
    alice.post(f"/api/ai/chat/{chat}/stop")
    turn.end()


def shown(turn, kind):
    """The newest data of the parts of a kind, by endpoint."""
    parts = [one["data"] for one in turn.chunks if one["type"] == kind]
    return {part["endpoint"]: part for part in parts}


def _endpoint(part):
    return part["endpoint"]


def test_a_consent_is_asked_for_while_the_other_instance_hangs(
    alice, begin, chat, served_by, office, monkeypatch
):
    monkeypatch.setattr(grants, "STATUS_SECONDS", 0.3)
    served_by.answers = [call(CONTACTS), DONE]
    office.is_open.clear()
    turn = begin(alice, chat)
    allow(alice, chat, turn.part("data-approval"))
    assert turn.part("data-consent")["scopes"] == SCOPES
    assert "contacts.readonly" in ends(turn.end())[0]["errorText"]


def test_a_client_of_mcp_gets_the_link_of_the_other_instance(alice, there):
    result = Speaker(alice, is_modern=False).call("integrations_call", endpoint=CONTACTS, body={})
    assert LINK in result["content"][0]["text"]
    assert len(there.seen) == 1


def chatting(alice, **limits):
    """alice with a limited token for chats."""
    made = alice.post("/api/tokens", {"scope": "chat", **limits}).json
    return Person("alice", alice.client, made["token"]), made


def test_a_token_for_chats_becomes_a_token_for_calls_at_the_other_instance(
    alice, chat, served_by, there
):
    served_by.answers = [call("geocode-city", city="Berlin"), DONE]
    mine, made = chatting(alice, ttl=60)
    chunks = mine.turn(chat, "where?")
    output = next(one["output"] for one in chunks if one["type"] == "tool-output-available")
    assert output == {"from": "there"}
    bearer = there.seen[-1].headers["authorization"].removeprefix("Bearer ")
    sent = Person("alice", alice.client, bearer)
    assert sent.post("/api/integrations/geocode-city", {"city": "Berlin"}).status_code == 200
    assert sent.post("/api/ai/chats").status_code == 403, "and for nothing else"
    ends = datetime.fromisoformat(made["expiresAt"]).timestamp()
    assert tokens.peek(bearer)[1]["exp"] == ends


def test_calls_that_only_this_instance_can_count_are_not_made_by_the_other(
    alice, begin, chat, served_by, there
):
    served_by.answers = [call("search-images", query="kites"), DONE]
    turn = begin(chatting(alice, credits=100)[0], chat)
    allow(alice, chat, turn.part("data-approval"))
    assert ("without `credits`" in ends(turn.end())[0]["errorText"], there.seen) == (True, [])


def found(alice, chat, served_by, query):
    """What `integrations.find` tells, by endpoint."""
    served_by.answers = [Answer(stream_of_calls(("integrations.find", {"query": query}))), DONE]
    [end] = ends(alice.turn(chat, "go"))
    output = end["output"]
    return {one["endpoint"]: one for one in output["endpoints"]}


@pytest.mark.settings(sandbox="0", provider_a_api_key="k")
def test_endpoints_of_the_other_instance_need_no_key_here(alice, chat, served_by):
    assert "search-images" in found(alice, chat, served_by, "search for pictures: images")
    listed = alice.get("/api/integrations/catalog").json["endpoints"]
    assert {one["name"] for one in listed if not one["configured"]} == set()


def test_the_other_instance_says_whether_an_integration_is_connected(
    alice, chat, served_by, there, office
):
    office.flags = {"connected": True, "contacts": True, "mailRead": False}
    told = found(alice, chat, served_by, "list contacts and mail")
    assert (told[CONTACTS]["connected"], told["cloudsuite/mail-list"]["connected"]) == (True, False)
    assert [one.path for one in there.seen] == [STATUS]
    refused = Answer(json.dumps({"success": False}), "429 X", JSON)
    for failure in (Answer("<html>", "502 X"), refused):
        there.answers = [failure]
        assert "connected" not in found(alice, chat, served_by, "list contacts")[CONTACTS]


def test_endpoints_are_found_while_the_other_instance_hangs(
    alice, chat, served_by, office, monkeypatch
):
    monkeypatch.setattr(grants, "STATUS_SECONDS", 0.3)
    office.is_open.clear()
    assert "connected" not in found(alice, chat, served_by, "list contacts")[CONTACTS]


def test_while_the_other_instance_hangs_only_one_request_waits_for_it(
    alice, chat, served_by, there, office, monkeypatch
):
    """Each of the others would take as long."""
    monkeypatch.setattr(grants, "STATUS_SECONDS", 0.3)
    office.is_open.clear()
    for _ in range(3):
        assert "connected" not in found(alice, chat, served_by, "list contacts")[CONTACTS]
    assert [one.path for one in there.seen] == [STATUS]


def test_the_other_instance_is_asked_again_after_a_while(
    alice, chat, served_by, office, monkeypatch
):
    monkeypatch.setattr(grants, "STATUS_SECONDS", 0.3)
    monkeypatch.setattr(gateway, "QUIET_SECONDS", 0.1)
    office.is_open.clear()
    found(alice, chat, served_by, "list contacts")
    office.is_open.set()
    monkeypatch.setattr(grants, "STATUS_SECONDS", 15)  # a busy machine answers later
    gevent.sleep(0.2)
    assert found(alice, chat, served_by, "list contacts")[CONTACTS]["connected"] is False


def test_endpoints_without_grants_are_found_without_asking_the_other_instance(
    alice, chat, served_by, there
):
    assert "connected" not in found(alice, chat, served_by, "geocode a city")["geocode-city"]
    assert there.seen == []
