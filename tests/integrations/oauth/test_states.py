"""SPEC's state table and error table of the office suite, row by row, with exact answers."""

import pytest

from tests.integrations.oauth.provider import BASE, Reply
from tests.integrations.oauth.user import EVENTS, READ, REFRESH_FAILED, SCOPES, SEND
from tests.services import on_sqlite

FLAGS = ("mailSend", "mailRead", "mailModify", "calendar", "drive", "contacts", "mail")
DARK = {"connected": False, **dict.fromkeys(FLAGS, False)}
NO_SCOPE = {"error": {"code": 403, "errors": [{"reason": "insufficientPermissions"}]}}


def payload(scope: str, auth_url: str) -> dict:
    """SPEC's payload in its envelope."""
    data = {"requiresOAuth": True, "provider": "cloudsuite", "scopes": [f"{BASE}/{scope}"]}
    return {"success": True, "data": {**data, "authUrl": auth_url}}


@on_sqlite
def test_not_connected_a_call_gets_the_payload(alice, provider):
    for endpoint, scope in SCOPES.items():
        answer = alice.call(endpoint, {"not": "looked at"})
        assert answer.status_code == 200, endpoint
        assert answer.json == payload(scope, answer.json["data"]["authUrl"]), endpoint
    assert alice.status == DARK
    assert provider.seen == []


@on_sqlite
def test_consent_connects_with_the_granted_scopes(alice):
    alice.connect(READ)
    lit = {"connected": True, "mailRead": True, "mail": True}
    assert alice.status == {**DARK, **lit, "email": "one@example.com"}
    answer = alice.call(READ)
    told = {"path": "/api/mail/mail", "account": "one"}
    assert (answer.status_code, answer.json) == (200, {"success": True, "data": told})


@on_sqlite
def test_a_scope_outside_of_those_granted_gets_the_payload(connected):
    before = connected.row
    answer = connected.call(SEND)
    assert answer.json == payload("gmail.modify", answer.json["data"]["authUrl"])
    assert answer.status_code == 200
    assert connected.row == before


@on_sqlite
def test_a_403_for_a_missing_scope_gets_the_payload(connected, provider):
    before = connected.row
    provider.script("api", Reply(403, NO_SCOPE))
    answer = connected.call(READ)
    assert answer.json == payload("mail.readonly", answer.json["data"]["authUrl"])
    assert (answer.status_code, connected.row) == (200, before)
    assert connected.call(READ).json["data"]["account"] == "one"


def test_the_body_is_looked_at_once_the_grant_suffices(alice):
    no_objects = ("{bad", "[1]", "hello", '{"x": 1}')
    for raw in no_objects:
        assert alice.call(READ, data=raw).json["data"]["requiresOAuth"] is True, raw
    alice.connect(READ)
    for raw in no_objects:
        answer = alice.call(READ, data=raw)
        assert (answer.status_code, answer.json["error"]) == (400, "invalid_request"), raw


@on_sqlite
def test_a_body_that_is_too_large_is_refused_without_a_grant_too(alice):
    assert alice.call(READ, data=b" " * ((1 << 20) + 1)).status_code == 413


@on_sqlite
def test_consent_for_more_adds_to_what_was_granted(connected):
    connected.connect(EVENTS)
    assert connected.flags == {"mailRead", "mail", "calendar"}
    connected.connect(SEND)
    assert connected.flags == {"mailRead", "mail", "calendar", "mailSend", "mailModify"}


@on_sqlite
def test_a_401_forgets_the_grant_and_gets_the_payload(connected, provider):
    provider.access.clear()
    answer = connected.call(READ)
    assert answer.json == payload("mail.readonly", answer.json["data"]["authUrl"])
    assert answer.status_code == 200
    assert (connected.row, connected.status) == (None, DARK)
    assert len(provider.asked("api")) == 1, "no refresh, no second try"
    assert len(provider.asked("token")) == 1


@on_sqlite
def test_a_refresh_that_fails_is_a_502_and_keeps_the_grant(expired, provider):
    provider.refreshes.clear()
    answer = expired.call(READ)
    assert (answer.status_code, answer.json) == (502, REFRESH_FAILED)
    assert expired.row is not None
    assert (expired.status["connected"], expired.flags) == (True, {"mailRead", "mail"})
    assert provider.asked("api") == []


@on_sqlite
def test_after_a_failed_refresh_disconnect_and_consent_connect_again(expired, provider):
    provider.refreshes.clear()
    assert expired.call(READ).status_code == 502
    assert expired.disconnect().status_code == 200
    expired.connect(READ)
    assert expired.call(READ).json["success"] is True


@on_sqlite
def test_disconnect_revokes_and_forgets(connected, provider):
    answer = connected.disconnect()
    assert (answer.status_code, answer.json["success"]) == (200, True)
    assert (connected.row, connected.status) == (None, DARK)
    assert [seen.form for seen in provider.asked("revoke")] == [{"token": "rt-canary-2"}]
    assert connected.payload(READ)


@on_sqlite
def test_another_users_grant_is_nobody_elses(connected, bob):
    assert bob.payload(READ)
    assert bob.status == DARK
    bob.disconnect()
    assert connected.call(READ).json["data"]["account"] == "one"


@on_sqlite
@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "cloudsuite/mail-list"),
        ("GET", "status"),
        ("DELETE", "oauth/cloudsuite/disconnect"),
        ("GET", "catalog"),
    ],
)
def test_without_a_bearer_nothing_is_told(app, provider, method, path):
    answer = app.test_client().open(f"/api/integrations/{path}", method=method)
    told = {"success": False, "error": "unauthorized"}
    assert answer.status_code == 401
    assert answer.json == {**told, "message": "A valid bearer token is needed."}
    assert provider.seen == []


@on_sqlite
@pytest.mark.parametrize(
    ("reply", "status", "code"),
    [
        (Reply(400, {}), 400, "invalid_request"),
        (Reply(404, {}), 404, "not_found"),
        (Reply(429, {}), 429, "rate_limited"),
        (Reply(403, {"error": {"errors": [{"reason": "userRateLimitExceeded"}]}}), 429, "rate_limited"),  # noqa: E501
        (Reply(403, {"error": {"errors": [{"reason": "domainPolicy"}]}}), 403, "forbidden"),
        (Reply(500, "oops"), 502, "upstream_provider_error"),
        (Reply(200, "<html>"), 502, "upstream_provider_error"),
    ],
)  # fmt: skip
def test_other_refusals_are_no_case_of_consent(alice, provider, reply, status, code):
    alice.connect(SEND)
    before = alice.row
    provider.script("api", reply)
    answer = alice.call(SEND)
    assert (answer.status_code, answer.json["success"]) == (status, False)
    assert answer.json["error"] == code
    assert "Token refresh failed" not in answer.json["message"]
    assert alice.row == before
