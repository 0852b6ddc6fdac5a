"""Faults of providers, and how a turn ends with each of them."""

import json
import re

import gevent
import pytest

from service.generation import model_call
from tests import model_streams
from tests.chat.scripted_steps import answer
from tests.people import chunks_of, text_of, types
from tests.services import on_sqlite
from tests.upstream import Answer

MODELS = ["llm-sonnet-4-6", "gen-5.4", "oss-120b"]  # one for each wire


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch):
    """A provider that may be asked again is asked at once; tests/chat/test_retries.py waits."""
    monkeypatch.setattr(model_call, "sleep", lambda seconds=0: None)


ANSWERS = {
    "a wrong key": Answer('{"error":{"message":"bad key sk-canary"}}', "401 Unauthorized"),
    "an HTML page": Answer("<html>host.internal</html>", "502 Bad Gateway"),
    "an HTML page as success": Answer("<html>host.internal</html>"),
    "JSON that is no stream": Answer('{"id": "x", "content": "host.internal"}'),
    "garbage": Answer(bytes(range(256)) * 20),
    "data that is no JSON": Answer("data: {host.internal\n\n"),
    "data that is no object": Answer("data: [1, 2]\n\n"),
    "nothing": Answer(b""),
    "a redirect": Answer("", "302 Found", {"Location": "http://127.0.0.1:1/elsewhere"}),
}


@on_sqlite
@pytest.mark.parametrize("model", MODELS)
def test_an_unusable_answer_ends_in_one_error_and_no_row(served_by, alice, model):
    chat = alice.new_chat()
    for name, unusable in ANSWERS.items():
        served_by.answers = [unusable]
        stream = alice.ask(chat, "hello", modelId=model).get_data(as_text=True)
        assert stream.count('"type":"error"') == 1, name
        assert stream.endswith("data: [DONE]\n\n"), name
        assert "canary" not in stream, name
        assert "internal" not in stream, name
        assert alice.rows(chat) == [], name


BROKEN = ["error-first", "error-midway", "overloaded-first", "cut", "cut-in-call", "rate-limit",
          "overloaded", "server-error", "wrong-key", "bad-request", "html", "html-200",
          "not-json", "garbage", "empty"]  # fmt: skip


@on_sqlite
@pytest.mark.parametrize("model", MODELS)
def test_a_broken_answer_closes_what_is_open_and_stores_nothing(alice, model):
    chat = alice.new_chat()
    for fault in BROKEN:
        chunks = alice.turn(chat, f"/fail {fault} count to 9", modelId=model)
        assert types(chunks)[-1] == "error", fault
        assert types(chunks).count("text-start") == types(chunks).count("text-end"), fault
        started = types(chunks).count("tool-input-start")
        assert started == types(chunks).count("tool-input-error"), fault
        assert "upstream-host" not in json.dumps(chunks), fault
        assert alice.rows(chat) == [], fault


SHAPES = ["pings", "crlf", "bytes", "padded", "second-start", "no-usage", "no-done", "reasoning"]


@on_sqlite
@pytest.mark.parametrize("model", MODELS)
def test_unusual_forms_of_a_stream_do_not_change_the_answer(alice, model):
    for shape in SHAPES:
        chunks = alice.turn(alice.new_chat(), f"/fail {shape} count to 5", modelId=model)
        assert text_of(chunks) == "1 2 3 4 5", shape
        assert not any(kind.startswith("reasoning") for kind in types(chunks)), shape


@on_sqlite
@pytest.mark.parametrize("fault", ["refusal", "no-text"])
@pytest.mark.parametrize("model", MODELS)
def test_a_turn_always_ends_in_text(alice, model, fault):
    chat = alice.new_chat()
    chunks = alice.turn(chat, f"/fail {fault} hello", modelId=model)
    assert text_of(chunks).startswith("The model")
    assert alice.rows(chat)[1]["content"] == text_of(chunks)


def whole(model):
    """Each wire's answer up to the finish reason, without its terminal bytes."""
    if model == "llm-sonnet-4-6":
        return model_streams.anthropic("all of it").partition("event: message_stop")[0].encode()
    return model_streams.openai("all of it").rpartition("data: {")[0].encode()


def breaking(body):
    """The connection ends before the promised length."""
    headers = {"Content-Type": "text/event-stream", "Content-Length": "9999"}
    return Answer(body, headers={**headers, "Connection": "close"})


def hanging(body):
    def pieces():
        yield body
        gevent.sleep(60)  # until the server of this test ends

    return Answer(pieces())


@on_sqlite
def test_a_refusal_whose_text_breaks_off_is_known_by_its_status(served_by, alice):
    refused = breaking(b"{")
    refused.status = "401 Unauthorized"
    served_by.answers = [refused]
    assert "refused our access" in alice.turn(alice.new_chat(), "hello")[-1]["errorText"]


@on_sqlite
@pytest.mark.parametrize("end", [Answer, breaking, hanging])
@pytest.mark.parametrize("model", MODELS[1:])
@pytest.mark.usefixtures("short_silence")
def test_an_answer_is_whole_after_its_finish_reason_however_the_connection_ends(
    served_by, alice, model, end
):
    served_by.answers = [end(whole(model))]
    chat = alice.new_chat()
    chunks = alice.turn(chat, "hello", modelId=model)
    assert (text_of(chunks), types(chunks)[-1]) == ("all of it", "finish")
    assert chunks[-1]["messageMetadata"]["usage"]["estimated"] is True
    assert alice.rows(chat)[1]["content"] == "all of it"


@on_sqlite
@pytest.mark.parametrize(("end", "told"), [(breaking, "broke off"), (hanging, "too long")])
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.usefixtures("short_silence")
def test_an_answer_without_its_terminal_event_is_an_error_however_the_connection_ends(
    served_by, alice, model, end, told
):
    body = re.sub(rb'data: [^\n]*"finish_reason": "stop"[^\n]*\n\n', b"", whole(model))
    served_by.answers = [end(body)]
    chunks = alice.turn(alice.new_chat(), "hello", modelId=model)
    assert text_of(chunks) == "all of it"
    assert told in chunks[-1]["errorText"]


@on_sqlite
def test_an_empty_text_is_not_the_first_content(served_by, alice, monkeypatch):
    """Provider A says so at once, before its model has written anything."""
    limits = model_call.TimeLimits(first=0.3, idle=60, step=60)
    monkeypatch.setattr(model_call, "LIMITS", dict.fromkeys("ABC", limits))
    begun = model_streams.anthropic("never").partition("event: content_block_delta")[0]
    served_by.answers = [hanging(begun.encode())]
    assert "too long" in alice.turn(alice.new_chat(), "hello")[-1]["errorText"]


@on_sqlite
@pytest.mark.usefixtures("short_silence")
def test_a_turn_whose_model_fell_silent_at_its_end_can_still_be_stopped(served_by, alice):
    """The silence ends one step only; the next one waits, and is stopped."""
    function = {"name": "user__current", "arguments": "{}"}
    call = {"tool_calls": [{"index": 0, "id": "c", "function": function}]}
    chunk = {"choices": [{"delta": call, "finish_reason": "tool_calls"}]}
    first = hanging(f"data: {json.dumps(chunk)}\n\n".encode())
    served_by.answers = [first, lambda seen: gevent.sleep(60) or Answer("")]
    chat = alice.new_chat()
    stream, read = iter(alice.ask(chat, "hello", modelId="gen-5.4").response), b""
    while read.count(b'"start-step"') < 2:
        read += next(stream)
    alice.post(f"/api/ai/chat/{chat}/stop")
    assert types(chunks_of(read + b"".join(stream)))[-1] == "abort"


@pytest.mark.parametrize("model", MODELS)
def test_a_call_cut_by_the_token_limit_is_not_run(alice, model):
    chunks = alice.turn(alice.new_chat(), "/fail length-in-call go", modelId=model)
    errors = [chunk for chunk in chunks if chunk["type"] == "tool-input-error"]
    assert errors[-1]["errorText"] == "The call broke off before its input was whole."
    assert "tool-output-available" not in types(chunks)


def test_a_call_that_its_host_refuses_is_told_to_the_model(alice):
    content = "/fail tool-use-failed describe ai-chats"
    chunks = alice.turn(alice.new_chat(), content, modelId="oss-120b")
    failed = next(chunk for chunk in chunks if chunk["type"] == "tool-input-error")
    assert failed["toolName"] == "schema.describe"
    assert failed["input"] == {"foo": 1}
    assert types(chunks)[-1] == "finish"


CALL_REFUSED = Answer('{"error":{"code":"tool_use_failed"}}', "400 Bad Request")
REQUEST_REFUSED = Answer('{"error":{"message":"no tools"}}', "400 Bad Request")


@on_sqlite
@pytest.mark.parametrize(
    ("last", "told"),
    [(Answer(model_streams.openai("done")), "done"), (REQUEST_REFUSED, "limit of tool steps")],
)
def test_a_last_step_whose_call_the_host_refuses_is_asked_for_without_tools(
    served_by, alice, last, told
):
    calling = [lambda seen: answer(seen, [("call", "schema__list", "{}")])] * 4
    served_by.answers = [*calling, CALL_REFUSED, last]
    chunks = alice.turn(alice.new_chat(), "go", modelId="oss-120b")
    assert (told in text_of(chunks), types(chunks)[-1]) == (True, "finish")
    assert types(chunks).count("start-step") == 5
    assert ["tools" in seen.json for seen in served_by.seen] == [True] * 5 + [False]
