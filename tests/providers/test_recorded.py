"""Real providers' streams through the wires; skipped where the recordings are not at hand."""

import json
from dataclasses import replace

import pytest

from service.providers.events import ProviderError
from service.providers.names import NameTable
from tests.providers import recorded_streams
from tests.providers.recorded_streams import FILES, FOLDER, expected, recorded_bytes, wire_of
from tests.providers.stream_reading import (
    BC,
    LINE_ENDS,
    SIZES,
    A,
    answer_of,
    events_of,
    payloads,
    streamed_calls,
    terminal_end,
)

REFUSED = "pydantic-ai-cassettes/test_tool_use_failed_error_streaming.0.sse"
WHOLE = [name for name in FILES if name != REFUSED]


@pytest.fixture(autouse=True)
def recordings():
    if not FOLDER:
        pytest.skip("FIXTURES_DIR is not set")


def test_the_folder_holds_recordings_of_both_wires():
    assert {wire_of(name) for name in FILES} == {A, BC}


@pytest.mark.parametrize("name", WHOLE)
def test_a_recording_says_what_its_own_json_says(name):
    data = recorded_bytes(name)
    whole = events_of(data, wire_of(name))
    assert replace(answer_of(whole), progress=0) == expected(name)
    assert all(call.name and call.arguments for call in whole[-1].calls)
    for size in SIZES:
        assert events_of(data, wire_of(name), size) == whole, size


@pytest.mark.parametrize("name", WHOLE)
def test_a_recording_without_its_ending_is_cut(name):
    data = recorded_bytes(name)
    terminal = terminal_end(data, wire_of(name))
    before = data[: data.rindex(b"data:", 0, terminal)]
    for size in (1, 7, 1 << 20):
        with pytest.raises(ProviderError, match="cut"):
            events_of(before, wire_of(name), size)


@pytest.mark.parametrize("name", FILES)
def test_what_a_recording_streams_of_a_call_is_what_it_finishes_with(name):
    events = events_of(recorded_bytes(name), wire_of(name))
    streamed = streamed_calls(events)
    for call in events[-1].calls:
        if call.fault != "refused":
            called, arguments = streamed[call.key]
            assert (called, arguments or "{}") == (call.name, call.arguments)


def test_a_whole_answer_and_its_stream_agree():
    """Only this recording was made both ways; the others' siblings are other answers."""
    name = "other/mistral-tool-call.chunks.txt"
    whole = json.loads((FOLDER / "other/mistral-tool-call.json").read_text())
    (called,) = whole["choices"][0]["message"]["tool_calls"]
    function = called["function"]
    assert next(payload["id"] for _, payload in payloads(recorded_bytes(name))) == whole["id"]
    answer = answer_of(events_of(recorded_bytes(name), BC))
    assert answer.calls == ((function["name"], function["arguments"], None),)
    assert answer.usage == recorded_streams.usage_of(whole["usage"])


def test_a_tool_call_cut_by_the_output_cap_is_not_whole():
    (call,) = events_of(
        recorded_bytes("anthropic-sdk-python/incomplete_partial_json_response.txt"), A
    )[-1].calls
    assert (call.name, call.fault) == ("make_file", "cut")
    with pytest.raises(ValueError, match="Unterminated string|Invalid control"):
        json.loads(call.arguments)


def test_reasoning_shows_only_as_progress():
    data = recorded_bytes("pydantic-ai-cassettes/test_anthropic_model_thinking_part_stream.0.sse")
    thoughts = [
        p["delta"]["thinking"] for _, p in payloads(data) if "thinking" in p.get("delta", {})
    ]
    answer = answer_of(events_of(data, A))
    assert answer.progress == len(thoughts) > 0
    assert "".join(thoughts) not in answer.text


@pytest.mark.parametrize("line_end", LINE_ENDS, ids=["LF", "CRLF"])
def test_a_call_that_the_host_refused_mid_stream_ends_the_step(line_end):
    data = recorded_bytes(REFUSED, line_end)
    error = next(p["error"] for _, p in payloads(data) if p.get("error"))
    attempt = json.loads(error["failed_generation"])
    for size in SIZES:
        answer = answer_of(events_of(data, BC, size))
        ((name, arguments, fault),) = answer.calls
        assert (name, json.loads(arguments), fault) == (*attempt.values(), "refused")
        assert (answer.text, answer.reason) == ("", "tool-calls")
    assert answer.progress == data.count(b'"reasoning":')


def test_a_call_that_the_host_refused_with_a_400_ends_the_step():
    body = (FOLDER / "pydantic-ai-cassettes/test_tool_use_failed_error.0.json").read_bytes()
    finished = BC.refusal(400, body, NameTable([]))
    (call,) = finished.calls
    assert (finished.reason, finished.is_refused) == ("tool-calls", True)
    assert (call.name, json.loads(call.arguments)) == ("get_something_by_name", {"foo": "bar"})
