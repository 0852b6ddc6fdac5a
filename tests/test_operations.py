"""Health, readiness, metrics, request ids, CORS and the OpenAPI document."""

import json
import re

import gevent
import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from service.extensions import db
from service.web.openapi import document
from tests.services import on_sqlite


def test_a_healthy_service_is_ready(client):
    assert client.get("/healthz").json == {"status": "ok"}
    ready = client.get("/readyz")
    assert (ready.status_code, ready.json["migrations"]) == (200, True)


def test_a_database_behind_its_migrations_is_not_ready(client, app):
    with app.app_context(), db.engine.begin() as connection:
        connection.execute(text("DELETE FROM alembic_version"))
    ready = client.get("/readyz")
    assert (ready.status_code, ready.json["migrations"]) == (503, False)
    assert client.get("/healthz").status_code == 200


def test_a_database_of_the_next_release_is_ready(client, app):
    with app.app_context(), db.engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = 'of-tomorrow'"))
    assert client.get("/readyz").status_code == 200


@on_sqlite
def test_metrics_count_requests_and_turns(alice, client):
    chat = alice.new_chat()
    alice.turn(chat, "hello", modelId="gen-5.4-nano")
    figures = client.get("/metrics").get_data(as_text=True)
    assert 'turns_total{model="gen-5.4-nano",status="finished"}' in figures
    assert 'route="/api/ai/chats",status="201"' in figures
    assert chat not in figures


@on_sqlite
@pytest.mark.parametrize(("id", "is_kept"), [("abc-1", True), ("a b", False), ("x" * 129, False)])
def test_a_valid_request_id_is_kept(alice, id, is_kept, capfd):
    response = alice.get("/api/ai/models", headers={"X-Request-Id": id})
    assert (response.headers["X-Request-Id"] == id) is is_kept
    response.close()
    line = json.loads(capfd.readouterr().err.splitlines()[-1])
    assert line["request_id"] == response.headers["X-Request-Id"]
    assert (line["route"], line["status"]) == ("/api/ai/models", 200)


@on_sqlite
def test_a_request_that_its_worker_kills_has_a_line(app, client, capfd):
    @app.get("/hangs")
    def hangs():
        gevent.sleep(60)

    asking = gevent.spawn(client.get, "/hangs", headers={"X-Request-Id": "abc-1"})
    gevent.sleep(0.05)
    asking.kill()
    line = json.loads(capfd.readouterr().err.splitlines()[-1])
    assert (line["event"], line["route"], line["request_id"]) == ("killed", "/hangs", "abc-1")


@on_sqlite
def test_an_unexpected_error_shows_no_internals(app, client, capfd):
    @app.get("/breaks")
    def breaks():
        raise RuntimeError("SELECT canary FROM secrets")

    response = client.get("/breaks")
    assert response.status_code == 500
    assert response.json == {
        "error": "internal_error",
        "message": "The server failed to answer this request.",
    }
    log = capfd.readouterr().err
    assert "builtins.RuntimeError" in log, "the operator sees what it was, and where"
    assert re.search(r"test_operations\.py:[0-9]+ breaks", log)
    assert "canary" not in log


def test_a_database_error_logs_no_sql_and_no_values(app, client, capfd):
    @app.get("/breaks")
    def breaks():
        db.session.execute(text("SELECT :words FROM nowhere"), {"words": "canary-words"})

    assert client.get("/breaks").status_code == 500
    log = capfd.readouterr().err
    assert "sqlalchemy.exc." in log
    assert not re.search("canary-words|nowhere|SELECT", log)


def test_the_text_of_a_database_error_has_no_values(app):
    with app.app_context(), pytest.raises(DBAPIError) as error:
        db.session.execute(text("SELECT :words FROM nowhere"), {"words": "canary-words"})
    assert "canary-words" not in str(error.value)


@on_sqlite
def test_unknown_routes_and_methods_answer_in_json(alice):
    assert alice.get("/api/nothing").json["error"] == "not_found"
    wrong = alice.request("PUT", "/api/ai/chats")
    assert (wrong.status_code, wrong.json["error"]) == (405, "method_not_allowed")
    assert "POST" in wrong.headers["Allow"]


@on_sqlite
@pytest.mark.settings(cors_origins="https://app.example.com")
def test_only_configured_origins_may_call_from_a_browser(alice, client):
    chat = alice.new_chat()
    preflight = {"Access-Control-Request-Method": "POST",
                 "Access-Control-Request-Headers": "authorization, content-type"}  # fmt: skip
    for origin, allowed in [("https://app.example.com", True), ("https://evil.example", False)]:
        response = client.options("/api/ai/chat", headers={"Origin": origin, **preflight})
        assert (response.headers.get("Access-Control-Allow-Origin") == origin) is allowed
        assert (response.headers.get("Access-Control-Max-Age") == "7200") is allowed
        answered = alice.request(
            "POST",
            "/api/ai/chat",
            headers={"Origin": origin},
            json={"chatId": chat, "userMessageId": origin, "content": "x"},
        )
        exposed = answered.headers.get("Access-Control-Expose-Headers", "")
        assert ({"X-Asst-Id", "Age", "X-Cache"} <= set(exposed.split(", "))) is allowed
        answered.get_data()


@on_sqlite
@pytest.mark.settings(cors_origins="http://[::1]:3000,https://app.example.com")
@pytest.mark.parametrize("path", ["/api/ai/models", "/mcp"])
def test_an_allowed_origin_is_no_pattern(client, path):
    """The brackets of an IPv6 address would be a set of characters in one."""
    asked = ["http://[::1]:3000", "https://app.example.com"]
    others = ["http://1:3000", "http://1:3000.example.com", "http://[::1]:30001"]
    others += [
        "https://app-example.com",
        "https://app.example.com.example",
        "https://APP.example.com",
    ]
    for origin in [*asked, *others]:
        preflight = {"Origin": origin, "Access-Control-Request-Method": "GET"}
        allowed = client.options(path, headers=preflight).headers.get("Access-Control-Allow-Origin")
        assert allowed == (origin if origin in asked else None), origin


@on_sqlite
@pytest.mark.settings(cors_origins="https://app.example.com")
@pytest.mark.parametrize("origin", [{}, {"Origin": "https://app.example.com"}, {"Origin": "null"}])
def test_every_answer_that_an_origin_may_get_varies_by_it(alice, origin):
    """Or a cache would give a page what it has kept from a request without `Origin`."""
    for path in ("/api/ai/models", "/api/nothing", "/mcp"):
        assert "Origin" in alice.get(path, headers=origin).vary
    assert "Origin" not in alice.get("/healthz", headers=origin).vary


@on_sqlite
def test_the_openapi_document_has_every_route(app, client):
    document = client.get("/openapi.json").json
    assert document["openapi"].startswith("3.1")
    routes = {
        (re.sub(r"<(?:\w+:)?([^>]+)>", r"{\1}", rule.rule), method.lower())
        for rule in app.url_map.iter_rules()
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    }
    described = {(path, method) for path, item in document["paths"].items() for method in item}
    endpoints = {f"/api/integrations/{name}" for name in app.extensions["catalog"].names}
    assert {(path, method) for path, method in described if path not in endpoints} == routes
    assert {path for path, _ in described} >= endpoints
    assert all(o["summary"] for item in document["paths"].values() for o in item.values())
    turn = document["paths"]["/api/ai/chat"]["post"]
    assert turn["security"] == [{"bearer": []}]
    assert "text/event-stream" in turn["responses"]["200"]["content"]
    assert turn["requestBody"]["required"] is True
    assert document["paths"]["/api/ai/chats"]["post"]["requestBody"]["required"] is False


@on_sqlite
def test_many_who_ask_for_the_openapi_document_at_once_have_it_made_once(app, monkeypatch):
    made = []

    def counted(*arguments):
        made.append(arguments)
        return document(*arguments)

    monkeypatch.setattr("service.web.operations.document", counted)
    asked = [gevent.spawn(app.test_client().get, "/openapi.json") for _ in range(5)]
    gevent.joinall(asked)
    assert [one.get().status_code for one in asked] == [200] * 5
    assert len(made) == 1
