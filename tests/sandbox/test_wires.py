"""The stand-ins of the model providers as HTTP servers, without the service."""

import json

import pytest
from flask import Flask

from service.sandbox import faults, views

A, B = "/provider-a/v1/messages", "/provider-b/v1/chat/completions"
KEYS = {A: {"x-api-key": "k"}, B: {"authorization": "Bearer k"}}


@pytest.fixture
def ask(monkeypatch):
    monkeypatch.setattr(views, "TOKEN_SECONDS", 0)
    monkeypatch.setattr(views, "SILENCE_SECONDS", 0)
    app = Flask("alone")
    app.register_blueprint(views.wires)

    def asking(path, text, headers=None):
        content = [{"type": "text", "text": text}] if path == A else text
        body = {"messages": [{"role": "user", "content": content}]}
        used = KEYS[path] if headers is None else headers
        return app.test_client().post(path, json=body, headers=used)

    return asking


def text_of(answer):
    """What the model said, in either wire."""
    lines = [line[6:] for line in answer.text.splitlines() if line.startswith("data: {")]
    events = list(map(json.loads, lines))
    chosen = [one["choices"][0]["delta"] for one in events if one.get("choices")]
    texts = [one.get("delta", {}).get("text", "") for one in events]
    return "".join([*texts, *(delta.get("content", "") for delta in chosen)])


@pytest.mark.parametrize("path", [A, B])
def test_a_key_is_wanted_and_a_stream_comes(ask, path):
    assert ask(path, "count to 3", headers={}).status_code == 401
    answer = ask(path, "count to 3")
    assert (answer.status_code, text_of(answer)) == (200, "1 2 3")
    assert answer.content_type == "text/event-stream"


@pytest.mark.parametrize("path", [A, B])
def test_a_fault_is_of_its_own_message_and_not_of_a_summary(ask, path):
    """Of a chat with such a message no summary was made, or after half a minute only."""
    assert text_of(ask(path, "/fail refusal count to 3")) == ""
    fact = "remember that a is b."
    summary = ask(path, f"Summarize this conversation:\n\n/fail refusal {fact} /fail rate-limit")
    assert (summary.status_code, text_of(summary)[-len(fact) :]) == (200, fact)


@pytest.mark.parametrize("name", faults.REFUSALS)
def test_a_refusal_stands_in_place_of_the_stream(ask, name):
    refusal, answer = faults.REFUSALS[name], ask(A, f"/fail {name}")
    assert (answer.status_code, answer.text) == (refusal.status, refusal.body)
    assert answer.content_type == refusal.content_type
    after = answer.headers.get("Retry-After")
    assert after == (None if refusal.retry_after is None else str(refusal.retry_after))


@pytest.mark.parametrize("path", [A, B])
def test_streams_are_cut_into_other_pieces_that_say_the_same(ask, path):
    for fault in ("bytes", "crlf", "padded", "pings"):
        answer = ask(path, f"/fail {fault} count to 3")
        assert text_of(answer) == "1 2 3", fault
        assert (b"\r\n" in answer.data) is (fault == "crlf")
    pieces = ask(path, "/fail bytes count to 3").iter_encoded()
    assert {len(piece) for piece in pieces} == {1}


@pytest.mark.parametrize("path", [A, B])
@pytest.mark.parametrize("fault", ["cut", "silent", "error-midway"])
def test_a_broken_stream_has_a_beginning_and_no_end(ask, path, fault):
    answer = ask(path, f"/fail {fault} count to 9")
    assert text_of(answer) == "1 2 3"
    ends = ("message_stop", '"finish_reason":"stop"', "[DONE]")
    assert not [end for end in ends if end in answer.text]
    assert ("secret of upstream-host" in answer.text) is (fault == "error-midway")
