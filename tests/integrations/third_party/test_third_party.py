"""The whole way of a grant against an authorization server that is not ours: npm's
`oauth2-mock-server`, which checks the PKCE proof and signs the tokens itself."""

from datetime import timedelta
from urllib.parse import parse_qs, urlsplit

import pytest
from joserfc import jwt
from joserfc.jwk import KeySet

from service.times import now
from tests.integrations.oauth.user import EVENTS, READ, REFRESH_FAILED, outcome
from tests.integrations.scripted_vendor import Said
from tests.integrations.third_party.server import ACCOUNT, BASE, CLIENT
from tests.services import wait_for

MAIL, CALENDAR = f"{BASE}/gmail.readonly", f"{BASE}/calendar.events"
IDENTITY = {"openid", f"{BASE}/userinfo.email", f"{BASE}/userinfo.profile"}


def claims(server, office) -> dict:
    """What stands in the token of the last call, by a signature that the server's keys confirm."""
    bearer = office.seen[-1].headers["authorization"].removeprefix("Bearer ")
    keys = KeySet.import_key_set(server.keys)
    return jwt.decode(bearer, keys, algorithms=["RS256"]).claims


def grants_of(server, kind: str) -> list[dict]:
    return [form for form in server.asked("token") if form["grant_type"] == kind]


def test_the_url_leads_to_the_server_with_all_it_needs(alice, server):
    payload = alice.payload()
    url = urlsplit(payload["authUrl"])
    query = {name: values[0] for name, values in parse_qs(url.query).items()}
    assert f"{url.scheme}://{url.netloc}{url.path}" == f"{server.url}/authorize"
    assert payload["scopes"] == [MAIL]
    assert set(query.pop("scope").split()) == {MAIL, *IDENTITY}
    assert (query["client_id"], query["response_type"]) == (CLIENT["id"], "code")
    assert (query["code_challenge_method"], len(query["code_challenge"])) == ("S256", 43)
    assert query["redirect_uri"].endswith("/api/integrations/oauth/cloudsuite/callback")
    assert server.asked("token") == []


def test_a_consent_connects_and_a_call_bears_the_token_it_gave(alice, bob, server, office):
    alice.connect()
    [form] = server.asked("token")
    assert (form["grant_type"], form["status"]) == ("authorization_code", 200)
    assert server.asked("userinfo") == [
        {"door": "userinfo", "authorization": f"Bearer {form['answer']['access_token']}"}
    ]
    assert alice.status | {"connected": True, "email": ACCOUNT["email"]} == alice.status
    assert alice.flags == {"mail", "mailRead"}
    assert alice.call().json["data"]["messages"] == []
    assert claims(server, office)["sub"] == "johndoe"
    assert set(alice.row["scopes"]) == {MAIL, *IDENTITY}
    assert bob.payload()["scopes"] == [MAIL]
    assert bob.status["connected"] is False


def test_what_was_not_granted_is_not_taken_for_granted(alice, server, office):
    server.script(scope="openid")
    alice.connect()
    assert alice.row["scopes"] == ["openid"]
    assert alice.flags == set()
    assert alice.payload()["scopes"] == [MAIL]
    assert office.seen == []


def test_a_second_consent_adds_its_scope_to_the_first(connected, server, office):
    assert connected.payload(EVENTS)["scopes"] == [CALENDAR]
    connected.connect(EVENTS)
    asked = server.asked("authorize")[-1]
    assert set(asked["scope"].split()) == {CALENDAR, *IDENTITY}, "only what the call needs"
    assert asked["login_hint"] == ACCOUNT["email"]
    assert server.asked("token")[-1]["answer"]["scope"] == asked["scope"], "no union of its own"
    assert set(connected.row["scopes"]) == {MAIL, CALENDAR, *IDENTITY}
    assert connected.flags == {"mail", "mailRead", "calendar"}
    for endpoint, path in ((READ, "/mail/users/me/messages"), (EVENTS, "/calendar/calendars/")):
        assert connected.call(endpoint).status_code == 200
        assert office.seen[-1].path.startswith(path)


def test_a_code_is_worth_nothing_without_its_own_verifier(alice, server):
    """The server itself refuses the proof: one consent's code comes back with another's state."""
    first, second = (alice.consent() for _ in range(2))
    code = parse_qs(urlsplit(first).query)["code"][0]
    back, query = second.partition("?")[::2]
    state = parse_qs(query)["state"][0]
    page = alice.browser.get(back, query_string={"code": code, "state": state})
    assert (page.status_code, outcome(page)) == (400, "failed")
    assert server.asked("token") == [], "refused before its hook"
    assert alice.row is None
    assert alice.browser.get(first).status_code == 400, "the code is used up"
    assert alice.status["connected"] is False


def test_a_redirect_works_once(alice, server):
    back = alice.consent()
    assert outcome(alice.browser.get(back)) == "connected"
    row = alice.row
    assert outcome(alice.browser.get(back)) == "failed"
    assert alice.row == row
    assert len(server.asked("token")) == 1


def test_a_redirect_in_another_browser_is_asked_about_first(alice, bob, server):
    page = bob.browser.get(alice.consent())
    assert (page.status_code, outcome(page)) == (200, "unconfirmed")
    assert ACCOUNT["email"] in page.text
    assert len(server.asked("token")) == 1
    assert (alice.row, bob.row) == (None, None)


def test_another_account_does_not_join(connected, server):
    server.script(userinfo={"sub": "jane", "email": "jane@example.com"})
    before = connected.row
    page = connected.browser.get(connected.consent(EVENTS))
    assert (page.status_code, outcome(page)) == (400, "failed")
    assert connected.row == before
    assert connected.status["email"] == ACCOUNT["email"]


def test_an_expired_token_is_refreshed_with_the_newest_refresh_token(connected, server):
    for _ in range(2):
        last = server.asked("token")[-1]["answer"]
        connected.expire()
        assert [connected.call().status_code for _ in range(2)] == [200, 200], "the newest token"
        form = server.asked("token")[-1]
        assert (form["status"], form["refresh_token"]) == (200, last["refresh_token"])
    assert len(grants_of(server, "refresh_token")) == 2
    left = connected.row["expires_at"] - now()
    assert timedelta(minutes=59) < left < timedelta(hours=1)
    assert set(connected.row["scopes"]) == {MAIL, *IDENTITY}


REFUSALS = {
    "revoked": {"statusCode": 400, "body": {"error": "invalid_grant"}},
    "client gone": {"statusCode": 401, "body": {"error": "invalid_client"}},
    "broken": {"statusCode": 500, "body": {"error": "server_error"}},
    "no token": {"statusCode": 200, "body": {"token_type": "Bearer", "expires_in": 3600}},
}


@pytest.mark.parametrize("refusal", REFUSALS.values(), ids=REFUSALS)
def test_a_refresh_that_fails_is_told_and_mended_by_a_consent(connected, server, office, refusal):
    url = connected.payload(EVENTS)["authUrl"]
    connected.expire()
    server.script(token=refusal)
    answer = connected.call()
    assert (answer.status_code, answer.json) == (502, REFRESH_FAILED)
    assert len(grants_of(server, "refresh_token")) == 1
    assert office.seen == []
    server.script(token={})
    assert outcome(connected.browser.get(server.consent(url))) == "connected"
    assert connected.call().status_code == 200


def test_a_refresh_token_that_the_server_has_taken_back(connected, server):
    """Used up elsewhere, as a rotated one is after a leak: it is the server that says no."""
    used = server.asked("token")[-1]["answer"]["refresh_token"]
    assert server.refresh(used) == 200
    connected.expire()
    assert (connected.call().status_code, connected.call().json) == (502, REFRESH_FAILED)
    assert [form["status"] for form in grants_of(server, "refresh_token")] == [200, 400]


def test_a_token_that_the_suite_rejects_is_forgotten(connected, server, office):
    office.says(Said({"error": {"code": 401}}, 401))
    assert connected.payload()["scopes"] == [MAIL]
    assert connected.row is None
    assert server.asked("revoke") == []


@pytest.mark.parametrize("status", [200, 503])
def test_disconnecting_revokes_and_clears_whatever_the_server_says(connected, server, status):
    given = server.asked("token")[-1]["answer"]
    server.script(revoke={"statusCode": status})
    answer = connected.disconnect()
    assert (answer.status_code, answer.json["data"]) == (200, {"connected": False})
    assert (connected.row, connected.status["connected"], connected.flags) == (None, False, set())
    wait_for(lambda: server.asked("revoke"))
    assert server.asked("revoke") == [{"door": "revoke", "token": given["refresh_token"]}]
    assert connected.payload()["scopes"] == [MAIL]
    connected.disconnect()
    assert len(server.asked("revoke")) == 1, "there was nothing left to revoke"
