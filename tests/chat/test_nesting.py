"""Deeply nested tool arguments: no client is sent more levels than its parser can read."""

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.web.json_depth import MAX_DEPTH, Nesting
from tests.chat.scripted_steps import answer
from tests.people import types
from tests.providers.stream_reading import repeatable
from tests.services import on_sqlite
from tests.upstream import Answer

values = st.recursive(
    st.none() | st.integers() | st.text(alphabet='\\"{}[]a', max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text('\\"{[', max_size=3), inner)
    ),
    max_leaves=30,
)


def depth(value):
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return (isinstance(value, dict | list)) + max(map(depth, inner), default=0)


@repeatable(300)
@given(value=values, wrapped=st.integers(0, 3), cuts=st.lists(st.integers(0, 300)))
def test_the_depth_is_that_of_the_value_however_it_is_cut(value, wrapped, cuts):
    levels = MAX_DEPTH - 1 + wrapped - 1
    text = "[" * levels + json.dumps(value) + "]" * levels
    edges = [0, *sorted(min(cut, len(text)) for cut in cuts), len(text)]
    nesting = Nesting()
    for begin, end in zip(edges, edges[1:], strict=False):
        nesting.feed(text[begin:end])
    assert nesting.is_too_deep == (levels + depth(value) > MAX_DEPTH)


def deltas(chunks):
    return "".join(c["inputTextDelta"] for c in chunks if c["type"] == "tool-input-delta")


@on_sqlite
@pytest.mark.parametrize("model", ["llm-sonnet-4-6", "gen-5.4", "oss-120b"])
@pytest.mark.parametrize("opening", ["[", '{"a":'])
def test_deltas_stop_at_the_limit_and_the_call_fails(alice, served_by, model, opening):
    deep = opening * 4_000 + "1" + {"[": "]", '{"a":': "}"}[opening] * 4_000
    script = [[("call", "user__current", deep)], [("text", "sorry")]]
    served_by.answers = [lambda seen: _in_pieces(answer(seen, script.pop(0)))]
    chat = alice.new_chat()
    chunks = alice.turn(chat, "go deep", modelId=model)
    assert deltas(chunks).count(opening[0]) <= MAX_DEPTH
    [failed] = [chunk for chunk in chunks if chunk["type"] == "tool-input-error"]
    assert "nested too deep" in failed["errorText"]
    assert len(failed["input"]) < 2_100
    assert types(chunks)[-1] == "finish"
    part = next(p for p in alice.rows(chat)[1]["parts"] if p["type"].startswith("tool-"))
    assert part["rawInput"] == failed["input"]


@on_sqlite
def test_input_of_the_greatest_allowed_depth_is_streamed_to_its_end(alice, served_by):
    dice = random.Random(1)
    text = '{"collection":' + "[" * (MAX_DEPTH - 1) + json.dumps('\\"[{' * dice.randrange(99, 400))
    text += "]" * (MAX_DEPTH - 1) + "}"
    script = [[("call", "schema__describe", text)], [("text", "sorry")]]
    served_by.answers = [lambda seen: answer(seen, script.pop(0))]
    assert deltas(alice.turn(alice.new_chat(), "go")) == text


def _in_pieces(whole: Answer) -> Answer:
    """Each long fragment as many short ones."""
    events = []
    for line in whole.body.strip().split("\n\n"):
        events += _split(json.loads(line.removeprefix("data: ")))
    return Answer("".join(f"data: {json.dumps(event)}\n\n" for event in events))


def _split(event):
    for choice in event.get("choices", ()):
        for call in choice["delta"].get("tool_calls", ()):
            text = call["function"]["arguments"]
            for n, piece in enumerate(_cut(text)):
                name = {"name": call["function"]["name"]} if n == 0 else {}
                told = {**call, "function": {**name, "arguments": piece}}
                yield {"choices": [{"delta": {"tool_calls": [told]}}]}
            return
    if event.get("delta", {}).get("type") == "input_json_delta":
        for piece in _cut(event["delta"]["partial_json"]):
            yield {**event, "delta": {**event["delta"], "partial_json": piece}}
        return
    yield event


def _cut(text):
    return [text[at : at + 97] for at in range(0, len(text), 97)]


@on_sqlite
def test_a_deep_call_fails_alone_though_its_host_repeats_the_name(alice, chat, served_by):
    """A host that sends the name with each fragment."""
    pieces = ['{"a":' * 4_000 + "1" + "}" * 4_000, " "]
    calls = [{"index": 0, "function": {"name": "user__current", "arguments": p}} for p in pieces]
    choices = [{"delta": {"tool_calls": [call]}} for call in calls]
    choices.append({"delta": {}, "finish_reason": "tool_calls"})
    sent = "".join(f"data: {json.dumps({'choices': [choice]})}\n\n" for choice in choices)
    served_by.answers = [Answer(sent), lambda seen: answer(seen, [("text", "sorry")])]
    chunks = alice.turn(chat, "go deep", modelId="oss-120b")
    [failed] = [one for one in chunks if one["type"] == "tool-input-error"]
    assert "nested too deep" in failed["errorText"]
    assert types(chunks)[-1] == "finish"
