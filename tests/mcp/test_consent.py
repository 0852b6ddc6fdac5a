"""A call that needs a consent: asked for through the client, or by a link in the result."""

import json
import re
from datetime import datetime, timedelta
from urllib.parse import urlsplit

import pytest
from gevent.pool import Pool
from sqlalchemy import select, update

from service.app_keys import APP_SETTINGS
from service.chat.tools.run import FAILED
from service.database import clock
from service.database.access import write_transaction
from service.database.clock import from_now
from service.extensions import db
from service.mcp import states
from service.mcp.message import META
from service.mcp.models import UsedState
from service.upkeep import sweeping
from tests.app_database import lost_at
from tests.integrations.office_suite import connect, decide, flags
from tests.mcp.era_clients import Speaker, refusal
from tests.people import person
from tests.services import on_sqlite
from tests.user_erasure import erase

pytestmark = on_sqlite

CONTACTS = {"endpoint": "cloudsuite/contacts-list", "body": {}}
CALL = {"name": "integrations_call", "arguments": CONTACTS}
OPENS_LINKS = {f"{META}clientCapabilities": {"elicitation": {"url": {}}}}
ACCEPT = {"connect": {"action": "accept"}}


@pytest.fixture
def ask(modern):
    """Makes the call as a client that opens links."""

    def asking(person=None, call=CALL, **params):
        speaker = Speaker(person or modern.person, is_modern=True)
        return speaker.ask("tools/call", {**call, **params}, meta=OPENS_LINKS)

    return asking


def question(answered):
    """The link that the client is asked to open, and the state of the call."""
    result = answered.json["result"]
    assert result["resultType"] == "input_required", result
    [(key, request)] = result["inputRequests"].items()
    assert (key, request["method"], request["params"]["mode"]) == (
        "connect",
        "elicitation/create",
        "url",
    )
    assert "contacts.readonly" in request["params"]["message"]
    return request["params"]["url"], result["requestState"]


def link_in(result):
    """The link in the text of an error."""
    assert result["isError"] is True
    text = result["content"][0]["text"]
    assert "call again" in text
    return re.search(r"^http\S+$", text, re.M)[0]


def consent(person, url):
    """The user follows the link, and agrees on the page that guards it."""
    page = person.client.get(decide(person, url)).get_data(as_text=True)
    token = re.search(r'name="token" value="([^"]+)"', page)[1]
    path = "/api/integrations/oauth/cloudsuite/callback"
    assert person.client.post(path, data={"token": token}).status_code == 200


@pytest.mark.parametrize("meta", [{}, {"progressToken": 1}], ids=["json", "stream"])
def test_a_database_that_fails_as_a_consent_begins_is_told_in_the_result(app, speaker, meta):
    with lost_at(app, "INSERT INTO consents"):
        answered = speaker.ask("tools/call", CALL, meta=meta)
    told = json.loads(answered.text.strip().split("\n")[-1].removeprefix("data: "))
    is_stream = answered.mimetype == "text/event-stream"
    assert (answered.status_code, is_stream) == (200, bool(meta))
    assert (told["id"], told["result"]["isError"]) == (1, True)
    assert told["result"]["content"] == [{"type": "text", "text": FAILED}]


def test_a_client_that_opens_links_is_asked_and_the_call_goes_on(ask, alice):
    url, state = question(ask())
    consent(alice, url)
    answered = ask(inputResponses=ACCEPT, requestState=state)
    result = answered.json["result"]
    assert (result["resultType"], result["isError"]) == ("complete", False), result
    assert result["structuredContent"]["contacts"]


def test_the_link_is_guarded_by_the_confirm_page(ask, alice):
    url, _ = question(ask())
    page = alice.client.get(decide(alice, url)).get_data(as_text=True)
    assert "alice" in page
    assert flags(alice)["connected"] is False


def test_an_empty_cookie_does_not_get_past_the_confirm_page(ask, alice):
    """The link is bound to no browser, which is not the same as to one with an empty cookie."""
    url, _ = question(ask())
    back = decide(alice, url)
    alice.client.set_cookie("oauth_browser", "", domain=urlsplit(back).hostname)
    page = alice.client.get(back).get_data(as_text=True)
    assert "alice" in page
    assert flags(alice)["connected"] is False


def test_accepting_is_not_connecting(ask):
    _, state = question(ask())
    result = ask(inputResponses=ACCEPT, requestState=state).json["result"]
    assert link_in(result), "the second time as a text, or it would be asked without end"


def test_a_user_who_declines_is_not_asked_again(ask):
    for action in ("decline", "cancel"):
        _, state = question(ask())
        answer = {"connect": {"action": action}}
        result = ask(inputResponses=answer, requestState=state).json["result"]
        assert result["isError"] is True
        assert "did not connect" in result["content"][0]["text"]


def test_a_state_is_good_for_one_use(ask, alice):
    url, state = question(ask())
    consent(alice, url)
    assert ask(inputResponses=ACCEPT, requestState=state).json["result"]["isError"] is False
    assert refusal(ask(inputResponses=ACCEPT, requestState=state)) == (400, -32602)


def test_of_many_uses_of_a_state_at_once_one_makes_the_call(app, ask, alice):
    url, state = question(ask())
    consent(alice, url)
    settings, again = APP_SETTINGS.of(app), {"inputResponses": ACCEPT, "requestState": state}
    people = [person(app.test_client(), settings, "alice") for _ in range(12)]
    answers = Pool(12).map(lambda one: ask(one, **again), people)
    made = [one.json["result"]["isError"] for one in answers if one.status_code == 200]
    refused = [one.json["error"]["code"] for one in answers if one.status_code == 400]
    assert (made, refused) == ([False], [-32602] * 11)


def test_a_state_is_good_for_its_call_and_user_only(ask, bob):
    _, state = question(ask())
    other = {**CALL, "arguments": {**CONTACTS, "body": {"limit": 1}}}
    broken = state[:-6] + ("A" if state[-6] != "A" else "B") + state[-5:]
    refused = [
        ask(bob, inputResponses=ACCEPT, requestState=state),
        ask(call=other, inputResponses=ACCEPT, requestState=state),
        ask(call={**CALL, "name": "integrations_find"}, requestState=state),
        ask(inputResponses=ACCEPT, requestState=broken),
        ask(inputResponses=ACCEPT, requestState="made up"),
        ask(inputResponses=ACCEPT, requestState=5),
        ask(inputResponses={"connect": "yes"}, requestState=state),
        ask(inputResponses=[], requestState=state),
    ]
    assert [refusal(one) for one in refused] == [(400, -32602)] * len(refused)
    assert "result" in ask(inputResponses=ACCEPT, requestState=state).json, "it was not used up"


def test_a_state_expires(ask, monkeypatch):
    monkeypatch.setattr(states, "LIFETIME", -1)
    _, state = question(ask())
    assert refusal(ask(inputResponses=ACCEPT, requestState=state)) == (400, -32602)


def test_a_used_state_is_not_accepted_again_by_a_worker_whose_clock_is_behind(
    ask, app, monkeypatch
):
    _, state = question(ask())
    assert "result" in ask(inputResponses=ACCEPT, requestState=state).json

    class DatabaseClock(datetime):
        @classmethod
        def now(cls, zone):
            return super().now(zone) + timedelta(hours=1)

    monkeypatch.setattr(clock, "datetime", DatabaseClock)
    with app.app_context():
        sweeping.sweep()
    assert used_states(app) == []
    assert refusal(ask(inputResponses=ACCEPT, requestState=state)) == (400, -32602)


def test_a_client_that_opens_no_links_gets_one_in_the_text(speaker, alice):
    for declared in ({}, {"elicitation": {}}, {"elicitation": {"form": {}}}):
        meta = {f"{META}clientCapabilities": declared} if speaker.is_modern else {}
        url = link_in(speaker.result("tools/call", CALL, meta=meta))
    consent(alice, url)
    assert speaker.call("integrations_call", **CONTACTS)["isError"] is False


def test_a_client_of_the_handshake_era_is_never_asked(handshake):
    result = handshake.result("tools/call", CALL, meta=OPENS_LINKS)
    assert "resultType" not in result
    assert link_in(result)


def test_a_grant_that_the_vendor_has_ended_is_asked_for_again(ask, alice):
    connect(alice, CONTACTS["endpoint"])
    assert ask().json["result"]["isError"] is False
    alice.delete("/api/integrations/oauth/cloudsuite/disconnect")
    assert question(ask())


def used_states(app) -> list[str]:
    with app.app_context():
        users = list(db.session.scalars(select(UsedState.user_id)))
        db.session.commit()
        return users


def test_used_states_end_with_their_user_and_with_their_time(ask, app, alice, bob):
    for one in (alice, bob):
        _, state = question(ask(one))
        ask(one, inputResponses=ACCEPT, requestState=state)
    erase(app)
    with app.app_context():
        sweeping.sweep()
    assert used_states(app) == ["bob"], "it has not expired"
    with app.app_context(), write_transaction() as session:
        ended = from_now(-states.KEPT_SECONDS - 1)
        session.execute(update(UsedState).values(expires_at=ended))
    with app.app_context():
        sweeping.sweep()
    assert used_states(app) == []
