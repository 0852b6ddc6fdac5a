"""Who may reach `/mcp`: tokens, hosts, origins, forms; and where clients learn of an issuer."""

from dataclasses import replace

import pytest

from service.app_keys import APP_SETTINGS
from service.auth.tokens import VERIFIER, Verifier, issue
from service.mcp.message import META
from tests.services import on_sqlite

pytestmark = on_sqlite

PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
METADATA = "/.well-known/oauth-protected-resource"


def ping(person, **headers):
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return person.post("/mcp", PING, headers=named)


def test_a_request_without_a_token_is_refused_and_told_how_to_send_one(alice, client, app):
    expired = replace(alice, token=issue(APP_SETTINGS.of(app), "alice", "user", -3600))
    cookie = {"Cookie": f"token={alice.token}"}
    refused = [
        client.post("/mcp", json=PING),
        client.post("/mcp", json=PING, headers=cookie),
        client.post(f"/mcp?access_token={alice.token}", json=PING),
        ping(expired),
        ping(replace(alice, token="not.a.token")),
    ]
    for answered in refused:
        assert (answered.status_code, answered.json["error"]) == (401, "unauthorized")
        assert answered.headers["WWW-Authenticate"] == "Bearer"
        assert "Authorization: Bearer" in answered.json["message"]


def test_a_token_for_another_audience_is_refused(alice, app):
    settings = replace(APP_SETTINGS.of(app), auth_audience="this-service")
    VERIFIER.set(app, Verifier(settings, None))
    for audience, status in (("this-service", 200), ("another", 401)):
        token = issue(replace(settings, auth_audience=audience), "alice", "user", 3600)
        assert ping(replace(alice, token=token)).status_code == status


def test_a_limited_token_opens_no_tools(alice):
    for scope in ("calls", "chat"):
        answered = ping(alice.limited(scope))
        assert (answered.status_code, answered.json["error"]) == (403, "forbidden")


ORIGINS = {
    "https://app.example:8443": 200,
    "https://ide.example": 200,
    "http://localhost:6274": 200,
    "http://127.0.0.1": 200,
    "https://evil.example": 403,
    "http://localhost.evil.example": 403,
    "http://app.example:8443": 403,
    "null": 403,
    "": 403,
    "app://localhost": 403,
}
HOSTS = {
    "app.example:8443": 200,
    "app.example": 200,
    "APP.example": 200,
    "localhost:9": 200,
    "[::1]:8000": 200,
    "evil.example": 403,
    "app.example.evil.example": 403,
    "127.0.0.1.evil.example": 403,
}


@pytest.fixture
def known(app):
    """Changes settings of the running app."""

    def change(**values):
        APP_SETTINGS.set(app, replace(APP_SETTINGS.of(app), **values))

    change(public_url="https://app.example:8443", cors_origins=("https://ide.example",))
    return change


def test_pages_of_other_origins_are_refused_whatever_their_token(alice, known):
    for origin, status in ORIGINS.items():
        assert ping(alice, Origin=origin).status_code == status, origin
        unsigned = ping(replace(alice, token=""), Origin=origin)
        assert unsigned.status_code == (401 if status == 200 else 403), origin
        assert status == 200 or "PUBLIC_URL" in unsigned.json["message"]


def test_other_names_of_the_server_are_refused(alice, known):
    for host, status in HOSTS.items():
        assert ping(alice, Host=host).status_code == status, host


@pytest.mark.settings(cors_origins="https://ide.example")
def test_a_browser_may_ask_first(client):
    asked = {"Origin": "https://ide.example", "Access-Control-Request-Method": "POST"}
    answered = client.options("/mcp", headers=asked)
    assert answered.status_code == 200
    assert answered.headers["Access-Control-Allow-Origin"] == "https://ide.example"
    assert client.options("/mcp", headers={"Origin": "https://evil.example"}).status_code == 403


@pytest.mark.settings(cors_origins="https://ide.example")
def test_a_page_of_an_allowed_origin_can_find_the_issuer(client, known):
    """The official client sends its version too, and reads where the metadata is."""
    page = {"Origin": "https://ide.example"}
    known(auth_issuer="https://id.example")
    refused = client.post("/mcp", json=PING, headers=page)
    assert "WWW-Authenticate" in refused.headers["Access-Control-Expose-Headers"].split(", ")
    wanted = "mcp-protocol-version"
    asked = {"Access-Control-Request-Method": "GET", "Access-Control-Request-Headers": wanted}
    for path in (METADATA, f"{METADATA}/mcp"):
        before = client.options(path, headers={**page, **asked})
        assert before.headers.get("Access-Control-Allow-Headers") == wanted
        found = client.get(path, headers=page)
        assert found.json["authorization_servers"] == ["https://id.example"]
        assert found.headers["Access-Control-Allow-Origin"] == "https://ide.example"
        other = client.get(path, headers={"Origin": "https://evil.example"})
        assert "Access-Control-Allow-Origin" not in other.headers
        assert "Origin" in other.headers["Vary"]


ACCEPTED = {
    "application/json": 200,
    "application/json, text/event-stream": 200,
    "*/*": 200,
    "text/html, application/*": 200,
    "text/html": 406,
    "text/event-stream": 406,
    "application/json;q=0, text/html": 406,
}


def test_an_answer_is_json(alice):
    for accept, status in ACCEPTED.items():
        assert ping(alice, Accept=accept).status_code == status, accept


def test_a_message_is_json(alice):
    for kind in ("text/plain", "application/x-www-form-urlencoded", ""):
        assert ping(alice, Content_Type=kind).status_code == 415


def test_a_refused_form_is_told_in_a_sentence(alice):
    refused = [ping(alice, Accept="text/html"), ping(alice, Content_Type="text/plain")]
    assert [one.json for one in refused] == [
        {"error": "invalid_request", "message": "Answers are JSON: accept `application/json`."},
        {"error": "invalid_request", "message": "Messages are JSON: send `application/json`."},
    ]
    described = alice.get("/openapi.json").json["paths"]["/mcp"]["post"]["responses"]
    assert {"406", "415"} <= described.keys()


def test_there_is_no_stream_and_no_session(alice):
    for method in ("GET", "DELETE", "PUT"):
        refused = alice.request(method, "/mcp", headers={"Accept": "text/event-stream"})
        assert (refused.status_code, refused.json["error"]) == (405, "method_not_allowed")
        assert refused.headers["Allow"] == "OPTIONS, POST"


PATHS = [
    ("GET", METADATA),
    ("GET", f"{METADATA}/mcp"),
    ("GET", "/.well-known/oauth-authorization-server"),
    ("GET", "/.well-known/oauth-authorization-server/mcp"),
    ("GET", "/.well-known/openid-configuration"),
    ("POST", "/register"),
]


def test_a_client_that_looks_for_an_issuer_is_told_in_json_that_there_is_none(client):
    for method, path in PATHS:
        answered = client.open(path, method=method)
        assert (answered.status_code, answered.json["error"]) == (404, "not_found"), path


def test_the_issuer_is_named_where_there_is_one(alice, client, known):
    known(public_url="https://app.example", auth_issuer="https://id.example")
    for path in (METADATA, f"{METADATA}/mcp"):
        described = client.get(path).json
        assert described["resource"] == "https://app.example/mcp"
        assert described["authorization_servers"] == ["https://id.example"]
    challenge = ping(replace(alice, token="")).headers["WWW-Authenticate"]
    url = f"https://app.example{METADATA}/mcp"
    assert challenge == f'Bearer resource_metadata="{url}"'


def test_a_name_that_is_no_address_is_no_server(client, known):
    known(auth_issuer="the-team")
    assert client.get(METADATA).status_code == 404


@pytest.mark.settings(mcp="off")
def test_the_route_can_be_switched_off(alice, client):
    assert ping(alice).status_code == 404
    assert client.get(METADATA).json["error"] == "not_found"


def test_an_era_is_no_way_around_the_token(client):
    meta = {f"{META}protocolVersion": "2026-07-28", f"{META}clientCapabilities": {}}
    asked = {**PING, "method": "tools/list", "params": {"_meta": meta}}
    assert client.post("/mcp", json=asked).status_code == 401
