"""Health, readiness, metrics, request ids, CORS and the OpenAPI document."""

import json
import re

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from service.extensions import db
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


def test_a_database_that_the_next_release_has_migrated_is_ready(client, app):
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
@pytest.mark.parametrize(("given", "kept"), [("abc-1", True), ("a b", False), ("x" * 129, False)])
def test_a_request_id_goes_through_if_it_is_one(alice, given, kept, capfd):
    response = alice.get("/api/ai/models", headers={"X-Request-Id": given})
    assert (response.headers["X-Request-Id"] == given) is kept
    response.close()
    line = json.loads(capfd.readouterr().err.splitlines()[-1])
    assert line["request_id"] == response.headers["X-Request-Id"]
    assert (line["route"], line["status"]) == ("/api/ai/models", 200)


@on_sqlite
def test_what_goes_wrong_unforeseen_says_nothing_of_the_inside(app, client, capfd):
    @app.get("/breaks")
    def breaks():
        raise RuntimeError("SELECT canary FROM secrets")

    response = client.get("/breaks")
    assert response.status_code == 500
    assert response.json == {
        "error": "internal_error",
        "message": "Something went wrong on our side.",
    }
    told = capfd.readouterr().err
    assert "builtins.RuntimeError" in told, "the operator sees what it was, and where"
    assert re.search(r"test_operations\.py:[0-9]+ breaks", told)
    assert "canary" not in told


def test_an_error_of_the_database_takes_no_sql_and_no_words_into_the_log(app, client, capfd):
    @app.get("/breaks")
    def breaks():
        db.session.execute(text("SELECT :words FROM nowhere"), {"words": "canary-words"})

    assert client.get("/breaks").status_code == 500
    told = capfd.readouterr().err
    assert "sqlalchemy.exc." in told
    assert not re.search("canary-words|nowhere|SELECT", told)


def test_not_even_where_the_text_of_an_error_is_used(app):
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
def test_only_the_named_origins_may_call_from_a_browser(alice, client):
    chat = alice.new_chat()
    preflight = {"Access-Control-Request-Method": "POST",
                 "Access-Control-Request-Headers": "authorization, content-type"}  # fmt: skip
    for origin, allowed in [("https://app.example.com", True), ("https://evil.example", False)]:
        asked = client.options("/api/ai/chat", headers={"Origin": origin, **preflight})
        assert (asked.headers.get("Access-Control-Allow-Origin") == origin) is allowed
        answered = alice.request(
            "POST",
            "/api/ai/chat",
            headers={"Origin": origin},
            json={"chatId": chat, "userMessageId": origin, "content": "x"},
        )
        exposed = answered.headers.get("Access-Control-Expose-Headers", "")
        assert ("X-Asst-Id" in exposed) is allowed
        answered.get_data()


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
    assert described == routes
    assert all(o["summary"] for item in document["paths"].values() for o in item.values())
    turn = document["paths"]["/api/ai/chat"]["post"]
    assert turn["security"] == [{"bearer": []}]
    assert "text/event-stream" in turn["responses"]["200"]["content"]
    assert turn["requestBody"]["required"] is True
    assert document["paths"]["/api/ai/chats"]["post"]["requestBody"]["required"] is False
