"""The sandbox's office suite: its consent page, its tokens, its switches for trying failures."""

import base64
import hashlib
import re
import time
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
import requests

from service.sandbox.suite import tokens as tokens_of_the_suite
from tests.integrations.office_suite import boxes, connect, decide, flags, page_of, payload
from tests.services import flask, on_sqlite

LIST = "cloudsuite/mail-list"
PAGES = "/sandbox/cloudsuite"
VERIFIER = "v" * 64


@pytest.fixture
def office(app):
    """The suite's settings, as the app has them."""
    settings = app.extensions["vendor_settings"]
    return {k.removeprefix("CLOUDSUITE_"): v for k, v in settings.items() if "CLOUDSUITE" in k}


@pytest.fixture
def tokens(client, office):
    """A consent of ada's for `mail.readonly`, without the app: its token answer."""
    return exchange(office, code_of(client, office, "mail.readonly"))


def request_for(office, scope, **changes):
    digest = "iF1GQN2mNJVYs0lQMJ0SBcfs3TmWRnDrmNUqNqCHvPo"  # of another verifier, unless replaced
    return {
        "client_id": office["CLIENT_ID"],
        "redirect_uri": "http://127.0.0.1:8000/api/integrations/oauth/cloudsuite/callback",
        "response_type": "code",
        "scope": f"openid {office['SCOPE_BASE']}/{scope}",
        "state": "s",
        "code_challenge": digest,
        "code_challenge_method": "S256",
        "include_granted_scopes": "true",
        **changes,
    }


def code_of(client, office, scope, account="ada", **changes):
    challenge = {"code_challenge": challenge_of(VERIFIER), **changes}
    query = urlencode(request_for(office, scope, **challenge))
    form = {"account": account, "scope": [scope], "decision": "allow"}
    location = client.post(f"{PAGES}/authorize?{query}", data=form).location
    return parse_qs(urlsplit(location).query)["code"][0]


def challenge_of(verifier):
    digest = hashlib.sha256(verifier.encode()).digest()
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


def post(office, **form):
    client = {"client_id": office["CLIENT_ID"], "client_secret": office["CLIENT_SECRET"]}
    return requests.post(office["TOKEN_URL"], data={**client, **form}, timeout=10)


def redeem(office, code, **changes):
    redirect = request_for(office, "")["redirect_uri"]
    form = {"grant_type": "authorization_code", "code": code, "redirect_uri": redirect}
    return post(office, **{**form, "code_verifier": VERIFIER, **changes})


def exchange(office, code):
    answer = redeem(office, code)
    assert answer.status_code == 200, answer.text
    return answer.json()


def refresh(office, token):
    return post(office, grant_type="refresh_token", refresh_token=token)


def mail(office, access, path="/users/me/messages"):
    headers = {"Authorization": f"Bearer {access}"}
    return requests.get(office["MAIL_BASE_URL"] + path, headers=headers, timeout=10)


@on_sqlite
def test_the_page_says_what_it_is_and_what_is_asked(alice):
    url = payload(alice, LIST)["authUrl"]
    page = page_of(alice, url)
    assert "sandbox" in page
    assert "Read your mail" in page
    assert boxes(page) == ["mail.readonly"]
    assert re.findall(r'name="account" value="(\w+)"', page) == ["ada", "ben"]
    assert "<script" not in page
    assert "style=" not in page


@on_sqlite
def test_pages_ask_for_no_icon_that_their_policy_refuses(client):
    page = client.get(PAGES)
    assert '<link rel="icon" href="data:,">' in page.text
    assert "img-src data:" in page.headers["Content-Security-Policy"].split("; ")


@on_sqlite
def test_pages_run_nothing_and_are_framed_by_nobody(alice, client):
    for path in (PAGES, f"{PAGES}/authorize", f"{PAGES}/suite.css"):
        headers = client.get(path, buffered=True).headers
        policy = headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert headers["X-Sandbox"] == "1"


@pytest.mark.settings(sandbox="0")
@on_sqlite
def test_without_the_sandbox_there_are_no_pages(client, alice):
    assert client.get(PAGES).status_code == 404
    answer = alice.post(f"/api/integrations/{LIST}", {})
    assert (answer.status_code, answer.json["setting"]) == (503, "CLOUDSUITE_CLIENT_ID")


@pytest.mark.settings(cloudsuite_client_id="a-real-client", cloudsuite_client_secret="real")
@on_sqlite
def test_a_real_client_is_asked_for_at_google(alice):
    told = payload(alice, LIST)
    assert told["authUrl"].startswith("https://accounts.google.com/o/oauth2/v2/auth?")
    assert told["scopes"] == ["https://www.googleapis.com/auth/gmail.readonly"]


@on_sqlite
def test_what_is_unticked_is_not_granted(alice):
    connect(alice, LIST, without=("mail.readonly",))
    status = flags(alice)
    assert (status["connected"], status["mailRead"]) == (True, False)
    assert payload(alice, LIST)["scopes"] == ["https://sandbox.invalid/auth/mail.readonly"]


@on_sqlite
def test_denying_leads_back_without_a_code(alice):
    location = decide(alice, payload(alice, LIST)["authUrl"], decision="deny")
    query = parse_qs(urlsplit(location).query)
    assert query["error"] == ["access_denied"]
    assert set(query) == {"error", "state", "iss"}


@on_sqlite
def test_scopes_add_up_from_consent_to_consent(alice):
    connect(alice, LIST)
    connect(alice, "contacts")
    status = flags(alice)
    assert (status["mailRead"], status["contacts"], status["mailSend"]) == (True, True, False)
    assert alice.post(f"/api/integrations/{LIST}", {}).json["data"]["messages"]


@on_sqlite
def test_only_a_token_that_was_asked_to_covers_earlier_consents(client, office):
    code_of(client, office, "contacts.readonly")
    alone = exchange(office, code_of(client, office, "drive", include_granted_scopes="false"))
    union = exchange(office, code_of(client, office, "mail.send"))
    assert "contacts" not in alone["scope"]
    assert {s.rpartition("/")[2] for s in union["scope"].split()} == {
        "contacts.readonly", "drive", "mail.send", "openid", "userinfo.email", "userinfo.profile",
    }  # fmt: skip


WRONG = {
    "client_id": "another",
    "redirect_uri": "http://127.0.0.1:8000/elsewhere",
    "response_type": "token",
    "code_challenge": "",
    "code_challenge_method": "plain",
    "scope": "https://sandbox.invalid/auth/everything",
}


@on_sqlite
def test_a_request_that_is_wrong_is_told_on_the_page(client, office):
    for name, value in WRONG.items():
        query = urlencode({**request_for(office, "mail.send"), name: value})
        for answer in (client.get, client.post):
            response = answer(f"{PAGES}/authorize?{query}")
            assert response.status_code == 400, name
            assert "Location" not in response.headers


@on_sqlite
def test_what_was_not_asked_for_is_not_granted(client, office):
    challenge = challenge_of(VERIFIER)
    query = urlencode(request_for(office, "mail.send", code_challenge=challenge))
    form = {"account": "ada", "scope": ["mail.send", "drive"], "decision": "allow"}
    location = client.post(f"{PAGES}/authorize?{query}", data=form).location
    code = parse_qs(urlsplit(location).query)["code"][0]
    assert "drive" not in exchange(office, code)["scope"]


@on_sqlite
def test_a_form_from_elsewhere_is_not_taken(client, office):
    query = urlencode(request_for(office, "mail.send"))
    form = {"account": "ada", "scope": ["mail.send"], "decision": "allow"}
    cross = {"Sec-Fetch-Site": "cross-site"}
    assert client.post(f"{PAGES}/authorize?{query}", data=form, headers=cross).status_code == 400
    switch = {"account": "ada", "switch": "revoke"}
    assert client.post(PAGES, data=switch, headers=cross).status_code == 400


def test_a_code_serves_once(client, office):
    code = code_of(client, office, "mail.readonly")
    assert redeem(office, code).status_code == 200
    again = redeem(office, code)
    assert (again.status_code, again.json()["error"]) == (400, "invalid_grant")


@on_sqlite
def test_a_code_is_for_its_own_verifier_redirect_and_client(client, office):
    for wrong in (
        {"code_verifier": "w" * 64},
        {"redirect_uri": "http://127.0.0.1:8000/elsewhere"},
        {"client_secret": "guessed"},
        {"client_id": "another"},
    ):
        code = code_of(client, office, "mail.readonly")
        assert redeem(office, code, **wrong).status_code in (400, 401), wrong


@on_sqlite
def test_a_wrong_verifier_uses_a_code_up(client, office):
    code = code_of(client, office, "mail.readonly")
    redeem(office, code, code_verifier="w" * 64)
    assert redeem(office, code).status_code == 400


def test_a_refresh_token_serves_once_and_coming_again_ends_its_family(office, tokens):
    second = refresh(office, tokens["refresh_token"]).json()
    assert second["refresh_token"] != tokens["refresh_token"]
    assert mail(office, second["access_token"]).status_code == 200
    assert refresh(office, tokens["refresh_token"]).status_code == 400
    assert refresh(office, second["refresh_token"]).status_code == 400
    assert mail(office, second["access_token"]).status_code == 401


@on_sqlite
def test_revoking_ends_everything_and_says_when_there_is_nothing(office, tokens):
    def revoke():
        form = {"token": tokens["access_token"]}
        return requests.post(office["REVOKE_URL"], data=form, timeout=10).status_code

    assert (revoke(), revoke()) == (200, 400)
    assert refresh(office, tokens["refresh_token"]).status_code == 400
    assert mail(office, tokens["access_token"]).status_code == 401


@on_sqlite
def test_the_apis_refuse_as_google_does(office, tokens):
    nobody = mail(office, "guessed")
    assert (nobody.status_code, nobody.json()["error"]["errors"][0]["reason"]) == (401, "authError")
    headers = {"Authorization": f"Bearer {tokens['access_token']}"}
    narrow = requests.get(f"{office['DRIVE_BASE_URL']}/files", headers=headers, timeout=10)
    error = narrow.json()["error"]
    assert (narrow.status_code, error["errors"][0]["reason"]) == (403, "insufficientPermissions")
    assert error["details"][0]["reason"] == "ACCESS_TOKEN_SCOPE_INSUFFICIENT"
    assert "insufficient_scope" in narrow.headers["WWW-Authenticate"]
    assert narrow.headers["X-Sandbox"] == "1"


@on_sqlite
def test_userinfo_says_whose_tokens_these_are(office, tokens):
    headers = {"Authorization": f"Bearer {tokens['access_token']}"}
    told = requests.get(office["USERINFO_URL"], headers=headers, timeout=10).json()
    assert (told["sub"], told["email"]) == ("sandbox-ada", "ada@suite.invalid")


def switch(client, name, account="ada"):
    response = client.post(PAGES, data={"account": account, "switch": name})
    assert response.status_code == 303


@on_sqlite
def test_an_expired_token_disconnects_at_the_next_call(alice, client):
    connect(alice, LIST)
    switch(client, "expire")
    assert flags(alice)["connected"] is True
    payload(alice, LIST)
    assert flags(alice)["connected"] is False


@on_sqlite
def test_a_refresh_after_a_revocation_fails_as_specified(alice, client, monkeypatch):
    monkeypatch.setattr(tokens_of_the_suite, "SHORT", 2)
    connect(alice, LIST)
    switch(client, "short")
    switch(client, "expire")
    connect(alice, LIST)
    for _ in range(2):
        time.sleep(1.6)  # the app refreshes when three quarters of a token's life are over
        assert alice.post(f"/api/integrations/{LIST}", {}).json["data"]["messages"]
    switch(client, "revoke")
    time.sleep(2.1)  # until its end the token would serve, and be refused with a 401
    answer = alice.post(f"/api/integrations/{LIST}", {})
    assert (answer.status_code, answer.json["error"]) == (502, "upstream_provider_error")
    assert answer.json["message"].startswith("Token refresh failed")
    assert flags(alice)["connected"] is True


@on_sqlite
def test_the_overview_shows_tokens_but_no_secrets(alice, client, office):
    connect(alice, LIST)
    tokens = exchange(office, code_of(client, office, "mail.readonly"))
    page = client.get(PAGES).get_data(as_text=True)
    assert page.count("<td>access</td>") == 2
    assert page.count("<td>refresh</td>") == 2
    assert "Read your mail" in page
    secrets = [tokens["access_token"], tokens["refresh_token"], office["CLIENT_SECRET"]]
    assert not [secret for secret in secrets if secret in page]
    switch(client, "revoke")
    assert "Nothing yet." in client.get(PAGES).get_data(as_text=True)


@on_sqlite
def test_an_unknown_switch_is_not_found(client):
    for form in ({"switch": "explode", "account": "ada"}, {"switch": "expire", "account": "eve"}):
        assert client.post(PAGES, data=form).status_code == 400


@on_sqlite
def test_labels_of_a_message_can_be_changed(client, office):
    access = exchange(office, code_of(client, office, "mail.modify"))["access_token"]
    first = mail(office, access).json()["messages"][0]["id"]
    url = f"{office['MAIL_BASE_URL']}/users/me/messages/{first}/modify"
    body = {"removeLabelIds": ["UNREAD"], "addLabelIds": ["STARRED"]}
    headers = {"Authorization": f"Bearer {access}"}
    changed = requests.post(url, json=body, headers=headers, timeout=10).json()
    assert changed["labelIds"] == ["INBOX", "STARRED"]
    assert mail(office, access, "/users/me/messages?q=is:unread").json()["resultSizeEstimate"] == 3


@on_sqlite
def test_a_file_is_told_as_far_as_its_request_names_it(client, office):
    access = exchange(office, code_of(client, office, "drive"))["access_token"]

    def see(query=""):
        headers = {"Authorization": f"Bearer {access}"}
        return requests.get(f"{office['DRIVE_BASE_URL']}/files{query}", headers=headers, timeout=10)

    whole = see().json()
    assert set(whole["files"][0]) == {"kind", "id", "name", "mimeType"}
    named = see("?fields=files(id,trashed)&orderBy=name desc").json()
    assert set(named) == {"files"}
    assert set(named["files"][0]) == {"id", "trashed"}
    assert see("?fields=files(").status_code == see("?orderBy=color").status_code == 400


@on_sqlite
def test_events_are_told_as_google_tells_them(client, office):
    access = exchange(office, code_of(client, office, "calendar.events"))["access_token"]
    url = f"{office['CALENDAR_BASE_URL']}/calendars/primary/events"

    def ask(method, **options):
        headers = {"Authorization": f"Bearer {access}"}
        return requests.request(method, url, headers=headers, timeout=10, **options).json()

    local = {"dateTime": "2030-07-01T09:00:00", "timeZone": "Asia/Tokyo"}
    new = {"summary": "a", "start": local, "end": local, "conferenceData": {"createRequest": {}}}
    ignored = ask("POST", json=new)
    assert ignored["start"] == {**local, "dateTime": "2030-07-01T09:00:00+09:00"}
    assert "hangoutLink" not in ignored, "of version 0"
    assert "hangoutLink" in ask("POST", json=new, params={"conferenceDataVersion": 1})
    span = {"timeMin": "2030-06-30T00:00:00Z", "timeZone": "Europe/Berlin"}
    listed = ask("GET", params=span)
    assert listed["timeZone"] == "Europe/Berlin"
    assert {one["start"]["dateTime"] for one in listed["items"]} == {"2030-07-01T02:00:00+02:00"}


@on_sqlite
@pytest.mark.parametrize(
    ("scope", "base", "path"),
    [
        ("mail.readonly", "MAIL_BASE_URL", "/users/me/messages"),
        ("drive.readonly", "DRIVE_BASE_URL", "/files"),
    ],
)
def test_no_account_sees_what_belongs_to_the_other(client, office, scope, base, path):
    def see(account, item=""):
        headers = {"Authorization": f"Bearer {access[account]}"}
        return requests.get(f"{office[base]}{path}{item}", headers=headers, timeout=10)

    access = {
        account: exchange(office, code_of(client, office, scope, account))["access_token"]
        for account in ("ada", "ben")
    }
    for mine, other in (("ada", "ben"), ("ben", "ada")):
        listed = see(mine).json()
        items = listed.get("messages") or listed["files"]
        assert items
        for item in items:
            assert see(mine, f"/{item['id']}").status_code == 200
            assert see(other, f"/{item['id']}").status_code == 404


@on_sqlite
def test_an_account_begins_with_the_same_contents_once(alice, bob):
    connect(alice, LIST)
    connect(alice, "contacts")
    connect(bob, LIST)
    told = bob.post(f"/api/integrations/{LIST}", {}).json["data"]
    assert len(told["messages"]) == 4


@on_sqlite
@pytest.mark.settings(cloudsuite_scope_names="mail.readonly=ours.readonly")
def test_other_names_of_scopes_leave_the_suite_in_the_sandbox(alice):
    """Whose own scopes have the neutral names."""
    connect(alice, LIST)
    assert flags(alice)["mailRead"]


@on_sqlite
def test_erasing_a_user_revokes_the_grant_at_the_stand_in_too(alice, database_url, office):
    connect(alice, LIST)
    assert "<li>Read your mail" in alice.client.get(PAGES).text
    printed = flask(database_url, "users", "erase", "alice", "--yes")
    assert "deleted grants: cloudsuite" in printed
    assert "not revoked" not in printed
    assert "<li>Read your mail" not in alice.client.get(PAGES).text
