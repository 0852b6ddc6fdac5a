"""Answers that are not what the wires promise: `ProviderError` or sound events, nothing else."""

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.providers.events import (
    CallFragment,
    CallStarted,
    Event,
    Progress,
    PromptCounted,
    ProviderError,
    StepFinished,
    TextFragment,
    TextStarted,
)
from tests.providers.stream_reading import (
    BC,
    NAMES,
    A,
    decoder_of,
    ending,
    payloads,
    read,
    repeatable,
    stream_bytes,
    wire_of,
)

HTML = b"<!DOCTYPE html>\n<html>\n<title>502 Bad Gateway</title>\n<p>data: none</p>\n</html>\n"
BROKEN_DATA = [
    b"data: <html>\n\n",
    b"data: {\n\n",
    b'data: {"type":"message_stop"}}\n\n',
    b"data: []\n\n",
    b"data: null\n\n",
    b"data: 7\n\n",
    b'data: "[DONE]"\n\n',
    b"data:\n\n",
    b"data: \xff\xfe\n\n",
    b"data: " + b"[" * 100_000 + b"\n\n",
    b'data: {"a":' * 5000 + b"\n\n",
    b'data: {"n":' + b"9" * 5000 + b"}\n\n",
]
# Between them they have every field that the wires look at.
TELLING = ["a-two-tools", "a-second-message-start", "a-pings-and-padding", "a-thinking"]
TELLING += ["a-usage-grows", "a-max-tokens-in-tool", "a-tool-input-at-start", "a-error-after-text"]
TELLING += ["bc-text", "bc-two-tools", "bc-late-name", "bc-ollama-no-index", "bc-reasoning"]
TELLING += ["bc-groq-usage", "bc-content-as-list", "bc-arguments-as-object", "bc-refusal"]
TELLING += ["bc-tool-use-failed", "bc-tool-use-failed-after-call", "bc-openrouter-error"]
JUNK = [None, True, False, 0, -1, 1.5, 10**40, 1e999, -1e999, float("nan"), "", "x", "0", "null"]
JUNK += ["\x00\ud800", "[DONE]", "{}", "[" * 3000, [], [[]], [None], [{}], {}, {"type": []}]
JUNK += [{"text": 1}, {"": {}}, ["x"], {"type": "tool_use", "name": "x", "input": "y"}]
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


def assert_sound(event: Event) -> None:
    """What the rest of the service builds on: types, and text that can be sent and stored."""
    match event:
        case TextFragment(text) | CallStarted(int(), text) | CallFragment(int(), text):
            assert_storable(text)
        case StepFinished(str(), usage, calls):
            for number in (usage.input, usage.output, usage.cache_read) if usage else ():
                assert_countable(number)
            for call in calls:
                assert_storable(call.name)
                assert_storable(call.arguments)
        case PromptCounted(tokens):
            assert_countable(tokens)
        case _:
            assert event in (TextStarted(), Progress())


def assert_countable(number: object) -> None:
    assert type(number) is int
    assert 0 <= number < 2**31 // 5, "five steps of it fit an INTEGER column"


def assert_storable(text: str) -> None:
    assert isinstance(text, str)
    assert "\x00" not in text
    text.encode()


def assert_reads_soundly(data: bytes, wire: Any) -> None:
    try:
        for event in read(data, decoder_of(wire)):
            assert_sound(event)
    except ProviderError:
        return
    assert isinstance(event, StepFinished)


@pytest.mark.parametrize("wire", [A, BC], ids=["A", "BC"])
def test_a_page_with_status_200_is_no_answer(wire):
    assert ending(HTML, decoder_of(wire)) == "cut"
    assert ending(b'{"error":{"message":"no stream here"}}', decoder_of(wire)) == "cut"


@pytest.mark.parametrize("wire", [A, BC], ids=["A", "BC"])
@pytest.mark.parametrize("data", BROKEN_DATA)
def test_data_that_is_no_json_object_is_garbled(wire, data):
    assert ending(data, decoder_of(wire)) == "garbled"
    assert ending(data.rstrip(), decoder_of(wire)) == "cut"


@repeatable(300)
@given(data=st.binary(max_size=200), wire=st.sampled_from([A, BC]))
def test_any_bytes_are_an_answer_or_a_provider_error(data, wire):
    assert_reads_soundly(data, wire)
    assert_reads_soundly(b"data: " + data + b"\n\ndata: {}\n\n", wire)


@repeatable(200)
@given(value=json_values, wire=st.sampled_from([A, BC]))
def test_any_json_is_an_answer_or_a_provider_error(value, wire):
    keys = ("choices", "error", "usage", "delta", "message", "content_block", "x_groq")
    for payload in (value, *({"type": "message_start", key: value} for key in keys)):
        data = f"event: x\ndata: {json.dumps(payload)}\n\n".encode()
        assert_reads_soundly(data + stream_bytes("a-text" if wire is A else "bc-text"), wire)


def places(value: Any, path: tuple = ()) -> list[tuple]:
    """The path of every value inside a JSON value."""
    inside = value.items() if isinstance(value, dict) else enumerate(value)
    found = []
    for key, inner in inside:
        found.append((*path, key))
        if isinstance(inner, dict | list):
            found += places(inner, (*path, key))
    return found


def changed(events: list[dict], path: tuple, value: Any) -> bytes:
    """The stream with another value at the place; `...` leaves the place out."""
    *way, last = path
    events = list(events)
    if way:
        events[way[0]] = copy.deepcopy(events[way[0]])
    target: Any = events
    for key in way:
        target = target[key]
    if value is ...:
        del target[last]
    else:
        target[last] = value
    return b"".join(b"data: " + json.dumps(event).encode() + b"\n\n" for event in events)


@pytest.mark.parametrize("name", TELLING)
def test_no_junk_at_any_place_of_a_stream_breaks_its_wire(name):
    events = [payload for _, payload in payloads(stream_bytes(name))]
    for path in places(events):
        for junk in (..., *JUNK):
            assert_reads_soundly(changed(events, path, junk), wire_of(name))


@repeatable(300)
@given(data=st.data())
def test_no_two_changes_of_a_stream_break_its_wire(data):
    name = data.draw(st.sampled_from(NAMES))
    events = [payload for _, payload in payloads(stream_bytes(name))]
    for _ in range(2):
        path = data.draw(st.sampled_from(places(events)))
        value = data.draw(json_values | st.sampled_from([..., *JUNK]))
        if len(path) == 1 and not isinstance(value, dict):
            value = {}  # an event that is no object ends the stream: no second change to try
        broken = changed(events, path, value)
        assert_reads_soundly(broken, wire_of(name))
        events = [payload for _, payload in payloads(broken)]
