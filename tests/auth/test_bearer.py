"""Which tokens give access to /api."""

import re
import time

import pytest
from joserfc import jwt
from joserfc.jwk import OctKey, RSAKey

from service.app_keys import APP_SETTINGS
from service.auth import users
from service.auth.tokens import Verifier
from service.auth.users import rights_cache
from service.upkeep import rights
from tests.services import SECRET, on_sqlite

KEY = OctKey.import_key(SECRET)
NOW = int(time.time())
GOOD = {"sub": "alice", "exp": NOW + 7200}


def signed(claims, key=KEY, algorithm="HS256", **header):
    return jwt.encode({"alg": algorithm, **header}, claims, key, algorithms=[algorithm])


def unsigned(claims):
    _, body, _ = signed(claims).split(".")
    return f"eyJhbGciOiJub25lIn0.{body}."  # {"alg":"none"}


REFUSED = {
    "nothing": "",
    "not bearer": "Basic YWxpY2U6eA==",
    "no token": "Bearer ",
    "not a token": "Bearer abc",
    "not base64": "Bearer a.b.c",
    "not ASCII": "Bearer h\u00e9.b.c",
    "expired": f"Bearer {signed({'sub': 'alice', 'exp': NOW - 61})}",
    "no expiry": f"Bearer {signed({'sub': 'alice'})}",
    "no subject": f"Bearer {signed({'exp': NOW + 7200})}",
    "empty subject": f"Bearer {signed({**GOOD, 'sub': ''})}",
    "subject with NUL": f"Bearer {signed({**GOOD, 'sub': 'a' + chr(0)})}",
    "endless subject": f"Bearer {signed({**GOOD, 'sub': 'a' * 256})}",
    "subject is a number": f"Bearer {signed({**GOOD, 'sub': 5})}",
    "not yet valid": f"Bearer {signed({**GOOD, 'nbf': NOW + 7200})}",
    "role is a list": f"Bearer {signed({**GOOD, 'role': ['admin']})}",
    "another key": f"Bearer {signed(GOOD, OctKey.import_key('x' * 40))}",
    "another algorithm": f"Bearer {signed(GOOD, algorithm='HS512')}",
    "asymmetric": f"Bearer {signed(GOOD, RSAKey.generate_key(2048), 'RS256')}",
    "alg none": f"Bearer {unsigned(GOOD)}",
}


@on_sqlite
@pytest.mark.parametrize("path", ["/api/ai/chats", "/api/no/such/route"])
def test_a_bad_token_is_refused(client, path):
    for name, header in REFUSED.items():
        response = client.post(path, headers={"Authorization": header}, json={})
        assert response.status_code == 401, name
        assert response.headers["WWW-Authenticate"] == "Bearer", name
        assert response.json["error"] == "unauthorized", name


@on_sqlite
@pytest.mark.parametrize(
    ("kind", "fault"),
    [
        ("expired", r"it ended at \d{4}-\d\d-\d\dT\d\d:\d\dZ"),
        ("another key", "it is not signed by a key that is known here"),
        ("no subject", "missing claim: 'sub'"),
        ("no expiry", "missing claim: 'exp'"),
        ("endless subject", "invalid claim: 'sub'"),
        ("role is a list", "invalid claim: 'role'"),
        ("asymmetric", "its `alg` is not taken here"),
    ],
)
def test_the_refusal_says_what_is_wrong_with_a_token(client, kind, fault):
    answer = client.get("/api/ai/models", headers={"Authorization": REFUSED[kind]})
    assert re.fullmatch(f"The bearer token is not valid: {fault}[.]", answer.json["message"])


@on_sqlite
def test_the_leeway_is_a_minute(client):
    token = signed({"sub": "alice", "exp": int(time.time()) - 30})
    response = client.post("/api/ai/chats", headers={"Authorization": f"bearer {token}"}, json={})
    assert response.status_code == 201


@on_sqlite
def test_browsers_store_no_answer_of_the_api(client, alice):
    """Somebody else may use the same browser later."""
    chat = alice.new_chat()
    paths = (f"/api/records/ai-chats/{chat}", "/api/credits", "/api/integrations/status")
    for answer in (*map(alice.get, paths), alice.get("/api/nothing"), client.get(paths[0])):
        assert answer.headers["Cache-Control"] == "no-store"
    streamed = alice.get(f"/api/ai/chats/{chat}/export").headers["Cache-Control"]
    assert streamed == "private, no-store"
    assert "no-store" not in client.get("/openapi.json").headers.get("Cache-Control", "")


@on_sqlite
def test_a_role_of_null_is_that_of_a_token_without_a_role(app, client):
    """Backends write null for a user who has no role in their own database."""
    verifier = Verifier(APP_SETTINGS.of(app), None)
    for claims in ({}, {"role": None}):
        token = signed({"sub": "alice", "exp": int(time.time()) + 600, **claims})
        assert verifier.verify(token).role == "user"
        response = client.get("/api/ai/models", headers={"Authorization": f"Bearer {token}"})
        assert response.status_code == 200


# The vendor redirects the user's browser to it, and the `state` identifies the user.
PUBLIC = ["/api/integrations/oauth/<integration>/callback"]


@on_sqlite
def test_every_route_under_api_but_the_callback_needs_a_token(app, client):
    for rule in app.url_map.iter_rules():
        if rule.rule.startswith("/api/") and rule.rule not in PUBLIC:
            method = next(iter((rule.methods or set()) - {"OPTIONS", "HEAD"}))
            path = rule.rule.replace("<", "").replace(">", "")
            assert client.open(path, method=method).status_code == 401, rule


def test_the_first_call_creates_the_user(alice, app):
    alice.get("/api/ai/models")
    with app.app_context():
        assert [user.subject for user in users.all_users()] == ["alice"]


@on_sqlite
def test_a_disabled_user_is_refused(alice, app):
    alice.get("/api/ai/models")
    with app.app_context():
        rights.set_disabled("alice", True)
    rights_cache.clear()
    assert alice.get("/api/ai/models").status_code == 401


@on_sqlite
@pytest.mark.settings(auth_audience="this-app", owner_token="")
def test_the_audience_must_be_ours(client):
    for audience, status in [("this-app", 200), ("other-app", 401), (["x", "this-app"], 200)]:
        token = signed({**GOOD, "aud": audience})
        headers = {"Authorization": f"Bearer {token}"}
        answer = client.get("/api/ai/models", headers=headers)
        assert answer.status_code == status
        assert status == 200 or "invalid claim: 'aud'" in answer.json["message"]


@on_sqlite
@pytest.mark.settings(auth_issuer="this-app", owner_token="")
def test_the_issuer_must_be_ours(alice, client):
    assert alice.get("/api/ai/models").status_code == 200  # with a token as the service issues it
    for issuer, status in [("this-app", 200), ("other-app", 401), (None, 401)]:
        token = signed({**GOOD, "iss": issuer} if issuer else GOOD)
        headers = {"Authorization": f"Bearer {token}"}
        assert client.get("/api/ai/models", headers=headers).status_code == status
