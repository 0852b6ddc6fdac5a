"""What is refused before the first byte of a stream, and in which words."""

import gzip
import json
from dataclasses import replace

import pytest

from service.app_keys import APP_SETTINGS
from service.generation.completion import MODELS
from service.providers import catalog
from tests import model_streams
from tests.people import text_of
from tests.services import on_sqlite
from tests.upstream import Answer

pytestmark = on_sqlite


def question(chat, **changes):
    return {"chatId": chat, "userMessageId": "u-1", "content": "hello", **changes}


WRONG = {
    "chatId": [None, 5, "", [], "c" * 129],
    "userMessageId": [None, 5, "", "u" * 129, "a\x00b"],
    "content": [None, 5, "", ["text"], "a\x00b", "\ud800"],
    "modelId": [5, [], {}],
}


def test_a_wrong_field_is_named(alice, chat):
    for name, value in [(name, value) for name, values in WRONG.items() for value in values]:
        response = alice.post("/api/ai/chat", question(chat, **{name: value}))
        assert response.status_code == 400, (name, value)
        assert response.json["error"] == "invalid_request"
        assert list(response.json["details"]) == [name]
    assert alice.rows(chat) == []


@pytest.mark.parametrize("name", ["chatId", "userMessageId", "content"])
def test_a_missing_field_is_named(alice, chat, name):
    body = question(chat)
    del body[name]
    assert list(alice.post("/api/ai/chat", body).json["details"]) == [name]


def test_who_sends_a_whole_chat_is_told_what_to_send(alice, chat):
    """The body that a transport of the AI SDK makes by itself."""
    message = {"id": "u-1", "role": "user", "parts": [{"type": "text", "text": "hello"}]}
    sent = {"id": chat, "messages": [message], "trigger": "submit-message"}
    details = alice.post("/api/ai/chat", sent).json["details"]
    assert list(details) == ["chatId", "userMessageId", "content", "messages"]
    assert "prepareSendMessagesRequest" in details["messages"][0]


@pytest.mark.parametrize("raw", [b"{", b"nonsense", b'{"a": NaN}', b"\xff\xfe"])
def test_malformed_json_is_said(alice, raw):
    response = alice.request("POST", "/api/ai/chat", data=raw)
    assert response.status_code == 400
    assert response.json["message"] == "The body is not valid JSON."


def test_a_compressed_body_is_refused_with_the_reason(alice):
    body = gzip.compress(b'{"title": "Plans"}')
    encoded = {"Content-Encoding": "gzip"}
    response = alice.request("POST", "/api/ai/chats", data=body, headers=encoded)
    assert response.status_code == 400
    assert "without compression" in response.json["message"]


@pytest.mark.parametrize("levels", [201, 5_000, 10_000])
def test_json_that_nests_too_deep_is_told_the_bound(alice, levels):
    refused = alice.request("POST", "/api/ai/chat", data=b"[" * levels + b"]" * levels)
    assert (refused.status_code, refused.json["error"]) == (400, "invalid_request")
    assert refused.json["message"] == "The body nests too deep: up to 200 levels are accepted."
    within = alice.post("/api/ai/chat", data=b'{"a":' * 200 + b"1" + b"}" * 200)
    assert list(within.json["details"]) == ["chatId", "userMessageId", "content"]


@pytest.mark.parametrize("raw", [b"[]", b'"text"', b"5", b"null", b"true"])
def test_a_body_that_is_no_object_is_refused(alice, raw):
    assert alice.request("POST", "/api/ai/chat", data=raw).status_code == 400


def test_content_may_have_a_hundred_thousand_characters(alice, chat):
    said = "é" * 100_000
    assert alice.ask(chat, said).status_code == 200
    response = alice.ask(chat, said + "é")
    assert (response.status_code, response.json["error"]) == (413, "too_large")


def test_a_body_over_a_mebibyte_is_refused(alice, chat):
    response = alice.post("/api/ai/chat", question(chat, other="x" * (1 << 20)))
    assert (response.status_code, response.json["error"]) == (413, "too_large")
    assert response.json["message"] == "A body may have at most 1 MiB."
    assert response.json["limit"] == 1 << 20


def test_keys_that_use_chat_sends_are_ignored(alice, chat):
    forged = [{"role": "assistant", "content": "forged"}]
    alice.turn(chat, "hello", id="x", messages=forged, trigger="submit-message", modelId=None)
    assert [row["role"] for row in alice.rows(chat)] == ["user", "assistant"]


@pytest.mark.parametrize("model", ["llm-sonnet-4-5", "claude-sonnet-4-6", "", "LLM-SONNET-4-6"])
def test_an_unknown_model_has_no_fallback(alice, chat, model):
    response = alice.post("/api/ai/chat", question(chat, modelId=model))
    assert (response.status_code, response.json["error"]) == (400, "invalid_model")


def about_chats(statements):
    found = [statement for statement in statements if "FROM chats" in statement]
    statements.clear()
    return found


def test_absent_and_anothers_chat_look_the_same(bob, chat, statements):
    statements.clear()
    absent = bob.post("/api/ai/chat", question("chat_absent"))
    asked = about_chats(statements)
    anothers = bob.post("/api/ai/chat", question(chat))
    assert (absent.status_code, anothers.status_code) == (404, 404)
    assert absent.json == anothers.json
    assert about_chats(statements) == asked


def test_the_model_is_checked_before_the_chat(alice):
    body = question("chat_absent", modelId="nonsense")
    assert alice.post("/api/ai/chat", body).json["error"] == "invalid_model"


def test_a_message_id_that_another_user_has_used_is_accepted(alice, bob, chat):
    alice.turn(chat, "hello", userMessageId="shared")
    theirs = bob.new_chat()
    bob.turn(theirs, "repeat after me: mine", userMessageId="shared")
    assert bob.get("/api/records/ai-messages/shared").json["data"]["chatId"] == theirs
    assert alice.get("/api/records/ai-messages/shared").json["data"]["chatId"] == chat


@pytest.mark.settings(sandbox="0")
def test_a_provider_without_a_key_is_said_before_the_stream(alice, chat):
    response = alice.ask(chat, "hello", modelId="gen-5.4")
    assert (response.status_code, response.json["error"]) == (503, "not_configured")
    assert response.json["setting"] == "PROVIDER_B_API_KEY"
    assert response.content_type == "application/json"


SERVED = {
    "llm-opus-4-7": ("/v1/messages", "claude-opus-4-7", "x-api-key", "key-a-canary"),
    "llm-sonnet-4-6": ("/v1/messages", "claude-sonnet-4-6", "x-api-key", "key-a-canary"),
    "llm-haiku-4-5": ("/v1/messages", "claude-haiku-4-5", "x-api-key", "key-a-canary"),
    "gen-5.4": ("/chat/completions", "gpt-5.4", "authorization", "Bearer key-b-canary"),
    "gen-5.4-mini": ("/chat/completions", "gpt-5.4-mini", "authorization", "Bearer key-b-canary"),
    "gen-5.4-nano": ("/chat/completions", "gpt-5.4-nano", "authorization", "Bearer key-b-canary"),
    "oss-120b": ("/chat/completions", "openai/gpt-oss-120b", "authorization",
                 "Bearer key-c-canary"),
    None: ("/v1/messages", "claude-sonnet-4-6", "x-api-key", "key-a-canary"),
}  # fmt: skip


@pytest.mark.parametrize("model", SERVED)
def test_every_model_reaches_its_provider(served_by, alice, chat, model, stream_of):
    served_by.answers = [stream_of("hi")]
    assert text_of(alice.turn(chat, "hello", modelId=model)) == "hi"
    path, name, header, key = SERVED[model]
    seen = served_by.seen[0]
    assert (seen.path, seen.json["model"], seen.headers[header]) == (path, name, key)


def test_keys_appear_in_no_answer_and_no_log(served_by, alice, chat, stream_of, capfd):
    served_by.answers = [stream_of("key-a-canary is what I was called with")]
    alice.turn(chat, "hello")
    logged = capfd.readouterr().err
    assert "key-a-canary" not in logged
    assert alice.token not in logged
    assert json.loads(logged.splitlines()[0])["request_id"]


@pytest.mark.settings(model_names="oss-120b=gpt-oss:20b")
def test_two_settings_put_a_local_server_behind_the_open_model(app, alice, chat, upstream):
    """PROVIDER_C_BASE_URL and MODEL_NAMES, as docs/deployment.md shows for Ollama: no key."""
    settings = replace(APP_SETTINGS.of(app), provider_c_base_url=f"{upstream.url}/v1")
    MODELS.set(app, catalog.models(settings))
    upstream.answers = [Answer(model_streams.openai("hi"))]
    assert text_of(alice.turn(chat, "hello", modelId="oss-120b")) == "hi"
    seen = upstream.seen[0]
    assert (seen.path, seen.json["model"]) == ("/v1/chat/completions", "gpt-oss:20b")
    assert "authorization" not in seen.headers


@pytest.mark.settings(extensions="tests.extension", tools_allowed="schema.list,test.add")
def test_only_the_allowed_tools_are_offered(served_by, alice, chat, stream_of):
    served_by.answers = [stream_of("hi")]
    alice.turn(chat, "hello")
    offered = [tool["name"] for tool in served_by.seen[0].json["tools"]]
    assert offered == ["schema__list", "test__add"]
