"""The payload, the consent that it asks for, and what its tokens allow."""

from urllib.parse import parse_qsl, urlsplit

import gevent
import pytest

from service.integrations.consent import authority
from service.integrations.consent.scopes import Scopes
from tests.integrations.oauth import endpoints
from tests.integrations.oauth.provider import BASE, CLIENT_ID, Reply
from tests.integrations.oauth.user import EVENTS, READ, SCOPES, SEND, outcome
from tests.services import on_sqlite

IDENTITY = ["openid", f"{BASE}/userinfo.email", f"{BASE}/userinfo.profile"]
CALLBACK = "/api/integrations/oauth/cloudsuite/callback"
WITHOUT = "is connected, but without the access that the app has asked for."


def query_of(url: str) -> dict[str, str]:
    pairs = parse_qsl(urlsplit(url).query, keep_blank_values=True)
    assert len(dict(pairs)) == len(pairs), "a parameter twice"
    return dict(pairs)


@on_sqlite
@pytest.mark.parametrize(("endpoint", "scope"), SCOPES.items())
def test_the_url_asks_for_exactly_this_endpoints_scope(alice, endpoint, scope):
    payload = alice.payload(endpoint)
    assert set(payload) == {"requiresOAuth", "provider", "scopes", "authUrl"}
    url, asked = urlsplit(payload["authUrl"]), query_of(payload["authUrl"])
    assert url._replace(query="").geturl() == "https://accounts.example/authorize"
    assert asked.pop("scope").split() == [*payload["scopes"], *IDENTITY]
    assert payload["scopes"] == [f"{BASE}/{scope}"]
    assert len(asked.pop("state")) >= 43
    assert len(asked.pop("code_challenge")) == 43
    assert asked == {
        "response_type": "code",
        "client_id": CLIENT_ID,
        "redirect_uri": f"http://127.0.0.1:8000{CALLBACK}",
        "code_challenge_method": "S256",
        "access_type": "offline",
        "include_granted_scopes": "true",
        "prompt": "consent",
    }


@on_sqlite
def test_every_answer_is_kept_for_the_check_at_the_end(alice, answers):
    before = len(answers)
    alice.payload()
    assert b'"requiresOAuth":true' in answers[before]


@on_sqlite
def test_each_url_has_a_state_and_a_challenge_of_its_own(alice):
    urls = [query_of(alice.payload()["authUrl"]) for _ in range(3)]
    assert len({url["state"] for url in urls}) == len({url["code_challenge"] for url in urls}) == 3


@on_sqlite
def test_both_names_of_an_endpoint_need_the_same_scopes(alice):
    assert alice.payload("send-email")["scopes"] == alice.payload(SEND)["scopes"]
    listed = alice.person.get("/api/integrations/catalog").json["endpoints"]
    scopes = {item["name"]: item["scopes"] for item in listed}
    assert scopes[SEND] == [f"{BASE}/gmail.modify"]
    assert scopes["probe-search"] == []


@on_sqlite
def test_who_is_connected_is_suggested_to_the_consent_page(connected):
    assert query_of(connected.payload(SEND)["authUrl"])["login_hint"] == "one@example.com"


FLAGS = {
    "gmail.modify": {"mailSend", "mailRead", "mailModify", "mail"},
    "https://mail.example/": {"mailSend", "mailRead", "mailModify", "mail"},
    "mail.readonly": {"mailRead", "mail"},
    "mail.send": {"mailSend", "mail"},
    "mail.compose": {"mailSend", "mail"},
    "calendar": {"calendar"},
    "calendar.events": {"calendar"},
    "drive": {"drive"},
    "drive.file": {"drive"},
    "contacts": {"contacts"},
    "contacts.readonly": {"contacts"},
    "userinfo.email": set(),
    "gmail.modify.not": set(),
}


@pytest.mark.parametrize(("suffix", "lit"), FLAGS.items())
def test_each_scope_sets_its_own_flags(suffix, lit):
    scopes = Scopes(endpoints.OAUTH, {"CLOUDSUITE_SCOPE_BASE": BASE})
    full = suffix if "://" in suffix else f"{BASE}/{suffix}"
    assert {name for name, on in scopes.flags([full]).items() if on} == lit
    assert len(scopes.flags([])) == 7


@on_sqlite
@pytest.mark.settings(cloudsuite_scope_names="mail.modify=mail.modify, drive.readonly=files")
def test_scope_names_can_be_configured(alice):
    assert alice.payload(SEND)["scopes"] == [f"{BASE}/mail.modify"]
    assert alice.payload("cloudsuite/drive-list")["scopes"] == [f"{BASE}/files"]
    alice.connect(SEND)
    assert alice.flags == {"mailSend", "mailRead", "mailModify", "mail"}


@pytest.mark.parametrize("broad", [f"{BASE}/gmail.modify", "https://mail.example/"])
@on_sqlite
def test_a_broader_scope_is_enough(alice, broad):
    alice.connect()
    alice.change(scopes=[broad])
    assert alice.call(READ).json["data"]["account"] == "one"
    assert alice.call(SEND).json["data"]["account"] == "one"
    assert alice.payload(EVENTS)["scopes"] == [f"{BASE}/calendar.events"]


@on_sqlite
@pytest.mark.parametrize("joins", [" ".join, sorted])
def test_a_scope_that_was_unticked_is_asked_for_again(alice, provider, joins):
    provider.joins = joins
    page = alice.browser.get(alice.consent(READ, untick=["mail.readonly"]))
    assert outcome(page) == "connected"
    assert WITHOUT in " ".join(page.text.split())
    assert (alice.status["connected"], alice.flags) == (True, set())
    assert alice.payload(READ)["scopes"] == [f"{BASE}/mail.readonly"]
    assert provider.asked("api") == []
    assert "without" not in alice.browser.get(alice.consent(READ)).text


@on_sqlite
def test_scopes_never_shrink(connected, provider):
    provider.incremental = False  # the answer names only what was asked
    connected.connect(EVENTS)
    assert connected.flags == {"mailRead", "mail", "calendar"}
    connected.connect(SEND, untick=["gmail.modify"])
    assert connected.flags == {"mailRead", "mail", "calendar"}
    connected.expire()
    provider.granted["one"] = {"openid"}
    assert connected.call(READ).status_code == 200
    assert connected.flags == {"mailRead", "mail", "calendar"}


def test_a_refresh_token_that_is_not_sent_again_is_kept(connected, provider):
    provider.gives_refresh = False
    before = connected.row["refresh_token"]
    connected.connect(EVENTS)
    assert connected.row["refresh_token"] == before
    connected.expire()
    assert connected.call(READ).status_code == 200
    assert connected.row["refresh_token"] == before


@on_sqlite
def test_without_scopes_in_the_answer_those_asked_for_were_granted(alice, provider):
    path = alice.consent(READ)
    scopeless = {"access_token": "at-canary-x", "refresh_token": "rt-canary-x", "expires_in": "60"}
    provider.script("token", Reply(200, scopeless))
    provider.script("userinfo", Reply(200, {"sub": "sub-one"}))
    assert outcome(alice.browser.get(path)) == "connected"
    assert alice.row["scopes"] == sorted([f"{BASE}/mail.readonly", *IDENTITY])


@on_sqlite
@pytest.mark.parametrize("email", [None, 7, "", "e" * 321, "x\0@y.z", "x\ud800@y.z"])
def test_without_a_known_address_the_status_has_none(alice, provider, email):
    provider.script("userinfo", Reply(200, {"sub": "sub-one", "email": email}))
    alice.connect()
    assert alice.status["connected"] is True
    assert "email" not in alice.status
    assert alice.call(READ).json["success"] is True


@on_sqlite
def test_another_account_is_refused_and_its_tokens_dropped(connected, provider):
    before = connected.row
    page = connected.browser.get(connected.consent(EVENTS, account="two"))
    assert (page.status_code, outcome(page)) == (400, "failed")
    assert "Another account is connected already" in page.text
    assert connected.row == before
    assert provider.asked("revoke") == [], "revoking is project-wide"
    assert connected.call(READ).json["data"]["account"] == "one"


NOBODY = [
    Reply(500, ""),
    Reply(200, "[" * 99999),
    *(Reply(200, {"sub": sub}) for sub in (None, 7, "", "s" * 256, "a\0", "a\ud800")),
]


@on_sqlite
def test_an_account_that_can_not_be_told_is_not_connected(alice, provider):
    """The next consent could be of another one, and both would be mixed in one grant."""
    for told in NOBODY:
        path = alice.consent(READ)
        provider.script("userinfo", told)
        page = alice.browser.get(path)
        assert (page.status_code, outcome(page), alice.row) == (400, "failed", None), told
        assert "The provider did not complete" in page.text
    alice.connect(READ)


@on_sqlite
def test_an_account_that_can_not_be_told_never_joins_a_known_one(connected, provider):
    before, path = connected.row, connected.consent(EVENTS, account="two")
    provider.script("userinfo", Reply(503, ""))
    page = connected.browser.get(path)
    assert (page.status_code, outcome(page)) == (400, "failed")
    assert "The provider did not complete" in page.text
    assert connected.row == before


@on_sqlite
def test_another_account_is_not_even_asked_about_in_another_browser(app, connected):
    page = app.test_client().get(connected.consent(EVENTS, account="two"))
    assert (page.status_code, outcome(page)) == (400, "failed")
    assert "two@example.com" not in page.text


@on_sqlite
@pytest.mark.parametrize("answer", [200, 400, 500, "slow"])
def test_disconnect_whatever_the_vendor_says(connected, provider, monkeypatch, answer):
    if answer == "slow":
        monkeypatch.setattr(authority, "ANSWER_SECONDS", 0.5)
    provider.script("revoke", hang if answer == "slow" else Reply(answer, "<html>"))
    gone = connected.disconnect()
    told = {"success": True, "data": {"connected": False}}
    assert (gone.status_code, gone.json) == (200, told)
    assert (connected.row, connected.status["connected"]) == (None, False)
    assert len(provider.asked("revoke")) == 1


def hang(_seen):
    gevent.sleep(1)
    return Reply(200, {})


@on_sqlite
def test_disconnect_when_nothing_is_connected(alice, provider):
    assert alice.disconnect().status_code == 200
    assert provider.seen == []
    unknown = alice.person.delete("/api/integrations/oauth/elsewhere/disconnect")
    assert (unknown.status_code, unknown.json["error"]) == (404, "not_found")


@on_sqlite
@pytest.mark.settings(cloudsuite_client_secret="")
def test_without_a_client_its_setting_is_named(alice, provider):
    answer = alice.call(READ)
    assert (answer.status_code, answer.json["error"]) == (503, "not_configured")
    assert answer.json["setting"] == "CLOUDSUITE_CLIENT_SECRET"
    assert provider.seen == []
