"""Answers with a status other than 200."""

import gc
import json

import pytest

from service.providers.events import FinishedCall, ProviderError, StepFinished
from service.providers.names import NameTable
from tests.providers.stream_reading import BC, TOOLS, A

BODIES = [b"", b"<html>Bad Gateway</html>", b"[]", b"null", b'{"error":"no"}', b'{"error":null}']
BODIES += [b"[" * 100_000, b"\xff", b'{"error":{"code":"rate_limit_exceeded"}}', b'{"error":[]}']
FAULTS = {
    "refused-request": [400, 405, 422],
    "unknown-model": [404],
    "too-long": [413],
    "refused-key": [401, 402, 403],
    "busy": [408, 409, 429, 503, 529],
    "down": [500, 502, 504],
    "garbled": [201, 204, 301, 302],
}
STATUSES = [(status, fault) for fault, statuses in FAULTS.items() for status in statuses]
DEEP = '{"name":"weather__read","arguments":' + "[" * 100_000 + "]" * 100_000 + "}"


@pytest.fixture(autouse=True)
def no_collection():
    """The collector may run deep in a nested value, where finalizers of other tests' objects fail
    for want of stack. That is no matter of these tests."""
    gc.disable()
    yield
    gc.enable()


def refused_call(generation: object) -> FinishedCall:
    error = {"message": "no", "code": "tool_use_failed", "failed_generation": generation}
    finished = BC.refusal(400, json.dumps({"error": error}).encode(), NameTable(TOOLS))
    assert isinstance(finished, StepFinished)
    assert (finished.reason, finished.usage, finished.is_refused) == ("tool-calls", None, True)
    (call,) = finished.calls
    return call


@pytest.mark.parametrize(("status", "fault"), STATUSES)
@pytest.mark.parametrize("wire", [A, BC], ids=["A", "BC"])
def test_a_status_is_its_fault_whatever_the_body(wire, status, fault):
    for body in BODIES:
        with pytest.raises(ProviderError) as raised:
            wire.refusal(status, body, NameTable([]))
        assert raised.value.fault == fault, body


TOO_LONG = {  # in the words of the hosts
    "Anthropic": (400, {"type": "error", "error": {"type": "invalid_request_error",
        "message": "prompt is too long: 213462 tokens > 200000 maximum"}}),
    "Anthropic, with its output": (400, {"type": "error", "error": {"type": "invalid_request_error",
        "message": "input length and `max_tokens` exceed context limit: 199000 + 8192 > 200000"}}),
    "Anthropic, in bytes": (413, {"type": "error", "error": {"type": "request_too_large"}}),
    "OpenAI": (400, {"error": {"code": "context_length_exceeded", "message": "Too many."}}),
    "OpenAI, in messages": (400, {"error": {"code": "array_above_max_length", "message": "No"}}),
    "Groq": (413, {"error": {"code": "rate_limit_exceeded", "message": "Request too large"}}),
    "vLLM": (400, {"object": "error", "type": "BadRequestError", "code": 400,
        "message": "This model's maximum context length is 131072 tokens."}),
    "llama.cpp": (400, {"error": {"type": "exceed_context_size_error", "message": "too many"}}),
    "Ollama": (400, {"error": "input length exceeds maximum context length"}),
}  # fmt: skip


@pytest.mark.parametrize(("status", "answer"), TOO_LONG.values(), ids=TOO_LONG)
@pytest.mark.parametrize("wire", [A, BC], ids=["A", "BC"])
def test_hosts_say_in_their_own_words_that_a_prompt_is_too_long(wire, status, answer):
    with pytest.raises(ProviderError) as raised:
        wire.refusal(status, json.dumps(answer).encode(), NameTable([]))
    assert raised.value.fault == "too-long"


OPERATORS = {  # who alone can mend these
    "OpenAI, no money": (429, {"error": {"type": "insufficient_quota", "code":
        "insufficient_quota", "message": "You exceeded your current quota."}}, "refused-key"),
    "OpenAI, over its limit": (400, {"error": {"code": "billing_hard_limit_reached"}},
        "refused-key"),
    "Anthropic, no money": (400, {"type": "error", "error": {"type": "invalid_request_error",
        "message": "Your credit balance is too low to access the Anthropic API."}}, "refused-key"),
    "Anthropic, over its limit": (400, {"type": "error", "error": {"type": "invalid_request_error",
        "message": "You have reached your specified API usage limits."}}, "refused-key"),
    "Anthropic, over its tier": (429, {"type": "error", "error": {"type": "rate_limit_error",
        "message": "No.", "details": {"error_code": "enforced_spend_limit_reached"}}},
        "refused-key"),
    "Anthropic, on hold": (400, {"type": "error", "error": {"type": "invalid_request_error",
        "message": "No.", "details": {"error_code": "organization_on_hold"}}}, "refused-key"),
    "Anthropic, its model": (404, {"type": "error", "error": {"type": "not_found_error",
        "message": "model: claude-none"}}, "unknown-model"),
    "OpenAI, its model": (404, {"error": {"code": "model_not_found"}}, "unknown-model"),
    "Groq, an old model": (400, {"error": {"code": "model_decommissioned"}}, "unknown-model"),
    "Ollama": (404, {"error": "model 'x' not found, try pulling it first"}, "unknown-model"),
}  # fmt: skip


@pytest.mark.parametrize(("status", "answer", "fault"), OPERATORS.values(), ids=OPERATORS)
@pytest.mark.parametrize("wire", [A, BC], ids=["A", "BC"])
def test_what_only_the_operator_can_mend_is_told_apart(wire, status, answer, fault):
    with pytest.raises(ProviderError) as raised:
        wire.refusal(status, json.dumps(answer).encode(), NameTable([]))
    assert raised.value.fault == fault


def test_an_error_shows_nothing_of_what_the_provider_wrote():
    with pytest.raises(ProviderError) as raised:
        A.refusal(401, b'{"error":{"message":"invalid key sk-123"}}', NameTable([]))
    assert str(raised.value) == "refused-key"
    assert raised.value.__cause__ is None


def test_a_refused_call_is_read_from_what_the_model_generated():
    call = refused_call('{"name": "functions.weather__read", "arguments": {"town": "Tromsø"}}')
    assert (call.name, json.loads(call.arguments)) == ("weather.read", {"town": "Tromsø"})
    assert (call.key, call.fault) == (0, "refused")


@pytest.mark.parametrize(
    "generation",
    ["weather__read(Oslo)", '["name"]', '"x"', "7", '{"name": "x"}', '{"arguments": {}}', DEEP],
)
def test_an_unreadable_refused_call_is_unknown_and_shows_its_text(generation):
    call = refused_call(generation)
    assert (call.name, call.fault) == ("unknown", "refused")
    assert json.loads(call.arguments) == {"text": generation}


def test_a_refused_call_without_its_text_is_unknown():
    for generation in (None, "", 0, []):
        assert json.loads(refused_call(generation).arguments) == {"text": ""}


def test_a_refused_call_can_be_stored():
    call = refused_call("broken \x00 \ud800")
    assert json.loads(call.arguments) == {"text": "broken \ufffd \ufffd"}
    assert refused_call('{"name":"a\\u0000","arguments":{}}').name == "a\ufffd"
