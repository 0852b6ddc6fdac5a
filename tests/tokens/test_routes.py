"""Routes are closed to limited tokens, unless they are opened to a token's scope."""

import pytest

from service.auth import permits
from tests.services import on_sqlite

pytestmark = on_sqlite

RECORDS = "/api/records/<collection>"
OPEN = {
    "calls": {
        "GET /api/integrations/status",
        "GET /api/integrations/catalog",
        "GET /api/integrations/jobs/<job_id>",
        "GET /api/integrations/<path:endpoint>",
        "POST /api/integrations/<path:endpoint>",
        "POST /api/integrations/price/<path:endpoint>",
        "GET /api/media/<media_id>",
        "POST /api/media/<media_id>/link",
        "GET /api/widgets/templates",
    },
    "chat": {
        "POST /api/ai/chats",
        "PATCH /api/ai/chats/<chat_id>",
        "DELETE /api/ai/chats/<chat_id>",
        "GET /api/ai/chats/<chat_id>/export",
        "GET /api/ai/search",
        "POST /api/ai/chat",
        "POST /api/ai/chat/<chat_id>/approvals/<call_id>",
        "POST /api/ai/chat/<chat_id>/stop",
        "GET /api/ai/chat/<chat_id>/stream",
        "GET /api/ai/models",
        "GET /api/records",
        f"GET {RECORDS}",  # of the chats and their messages
        f"GET {RECORDS}/<id:record_id>",
    },
}
NEEDS_NO_TOKEN = "/api/integrations/oauth/<integration>/callback"
UPGRADE = {"Upgrade": "websocket", "Connection": "Upgrade"}


def operations(app):
    """Every rule below `/api` that needs a token, with each of its methods."""
    for rule in app.url_map.iter_rules():
        if rule.rule.startswith("/api/") and rule.rule != NEEDS_NO_TOKEN:
            for method in sorted((rule.methods or set()) - {"HEAD", "OPTIONS"}):
                yield method, rule


def path_of(rule) -> str:
    return rule.rule.replace("<collection>", "ai-chats").replace("<", "").replace(">", "")


@pytest.mark.parametrize("scope", OPEN)
def test_every_route_that_is_not_opened_is_forbidden(app, alice, scope):
    limited, was_open = alice.limited(scope), set()
    for method, rule in operations(app):
        headers = UPGRADE if rule.websocket else {}
        answer = limited.request(method, path_of(rule), headers=headers)
        is_closed = answer.status_code == 403 and answer.json["message"] == permits.CLOSED
        if not is_closed:
            was_open.add(f"{method} {rule.rule}")
    assert was_open == OPEN[scope]


def test_what_needs_a_token_refuses_a_limited_one_by_default(app, alice):
    """Also a route that a later release adds, and one that does not exist."""
    app.add_url_rule("/api/later", "later", lambda: {"later": True})
    assert alice.get("/api/later").json == {"later": True}
    for scope in OPEN:
        limited = alice.limited(scope)
        for path in ("/api/later", "/api/nothing/there"):
            assert limited.get(path).json["error"] == "forbidden"
            assert limited.request("HEAD", path).status_code == 403


def test_the_socket_is_closed_to_a_token_in_a_subprotocol(client, alice):
    token = alice.limited("chat").token
    offered = {**UPGRADE, "Sec-WebSocket-Protocol": f"records.v1, bearer.{token}"}
    assert client.get("/api/records/socket", headers=offered).status_code == 403


def test_a_chat_token_reads_chats_and_no_other_records(alice):
    chat = alice.new_chat("Kept")
    note = alice.post("/api/records/notes", {"title": "private"}).json["recordId"]
    limited = alice.limited("chat")
    assert [one["recordId"] for one in limited.records("ai-chats")] == [chat]
    assert limited.get(f"/api/records/ai-chats/{chat}").status_code == 200
    for path in ("notes", f"notes/{note}", "canvases", "users", "users/alice"):
        assert limited.get(f"/api/records/{path}").json["error"] == "forbidden"
    assert limited.get("/api/records/nothing").status_code == 404
    listed = limited.get("/api/records").json["collections"]
    assert {one["name"] for one in listed} == {"ai-chats", "ai-messages", "ai-turns"}


def test_a_chat_token_writes_chats_through_their_routes_alone(alice):
    chat = alice.new_chat("Kept")
    limited = alice.limited("chat")
    for method in ("PATCH", "DELETE"):
        path = f"/api/records/ai-chats/{chat}"
        assert limited.request(method, path, json={"title": "x"}).status_code == 403
    assert limited.patch(f"/api/ai/chats/{chat}", {"title": "New"}).json["chat"]["title"] == "New"
    assert limited.delete(f"/api/ai/chats/{limited.new_chat()}").status_code == 200


def test_the_document_says_which_routes_are_open(client):
    paths = client.get("/openapi.json").json["paths"]
    assert paths["/api/ai/chat"]["post"]["x-limited-tokens"] == ["chat"]
    assert paths["/api/media/{media_id}"]["get"]["x-limited-tokens"] == ["calls"]
    assert "x-limited-tokens" not in paths["/api/credits"]["get"]


def test_prices_are_told_of_a_tokens_own_endpoints_only(alice):
    limited = alice.limited("calls", endpoints=["search-web"])
    path = "/api/integrations/price"
    assert limited.post(f"{path}/search-web", {"query": "tea"}).status_code == 200
    assert limited.post(f"{path}/generate-image", {"prompt": "x"}).status_code == 403
