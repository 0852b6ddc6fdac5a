"""A host that sends without end: the turn fails, before the answer fills memory or a row."""

import json
import time
from collections.abc import Iterator

import pytest

from service.providers import answer_limit, calls
from service.providers.answer_limit import MOST_PARTS
from service.providers.names import NameTable
from service.providers.sse import ServerSentEvent
from service.providers.wires.openai_chat import WIRE
from tests.call_counts import count_lines
from tests.services import on_sqlite
from tests.upstream import Answer

PIECE = "x" * 60_000
MOST = 4 << 20  # characters, less than by default
MORE = 3 * MOST // len(PIECE)
BEGIN = {"type": "message_start", "message": {"usage": {"input_tokens": 1}}}
USE = {"type": "tool_use", "id": "c", "name": "records__query", "input": {}}
OPEN_CALL = {"type": "content_block_start", "index": 0, "content_block": USE}
OPEN_TEXT = {"type": "content_block_start", "content_block": {"type": "text", "text": "a"}}


def of_a(delta: dict) -> dict:
    return {"type": "content_block_delta", "index": 0, "delta": delta}


def of_b(**delta: object) -> dict:
    return {"choices": [{"delta": delta}]}


def call(**facts: object) -> dict:
    return of_b(tool_calls=[facts])


NAMED = {"name": "records__query", "arguments": ""}
ENDLESS = {
    "text of A": ("llm-sonnet-4-6", [BEGIN], of_a({"type": "text_delta", "text": PIECE})),
    "arguments of A": (
        "llm-sonnet-4-6",
        [BEGIN, OPEN_CALL],
        of_a({"type": "input_json_delta", "partial_json": PIECE}),
    ),
    "text of B": ("gen-5.4", [], of_b(content=PIECE)),
    "arguments of B": (
        "gen-5.4",
        [call(index=0, id="c", function=NAMED)],
        call(index=0, function={"arguments": PIECE}),
    ),
    "a call without a name": ("gen-5.4", [], call(index=0, function={"arguments": PIECE})),
    "names of A": (
        "llm-sonnet-4-6",
        [BEGIN],
        {**OPEN_CALL, "content_block": {**USE, "name": PIECE}},
    ),
    "ids of B": ("gen-5.4", [], call(id=PIECE, function=NAMED)),
}
PARTS = {
    "calls of A": ("llm-sonnet-4-6", lambda number: {**OPEN_CALL, "index": number}),
    "texts of A": ("llm-sonnet-4-6", lambda number: {**OPEN_TEXT, "index": number}),
    "calls of B": ("gen-5.4", lambda number: call(index=number, id=f"c{number}", function=NAMED)),
}


def events(*items: dict) -> bytes:
    return "".join(f"data: {json.dumps(item)}\n\n" for item in items).encode()


@pytest.fixture(autouse=True)
def less_room(monkeypatch):
    for module in (calls, answer_limit):
        monkeypatch.setattr(module, "MOST_CHARACTERS", MOST)


class Endless:
    """A body that counts what of it was read."""

    def __init__(self, begin: list[dict], piece: dict, times: int) -> None:
        self.begin, self.piece, self.times, self.sent = events(*begin), events(piece), times, 0

    def __iter__(self) -> Iterator[bytes]:
        yield self.begin
        for _ in range(self.times):
            self.sent += 1
            yield self.piece


@on_sqlite
@pytest.mark.parametrize(("model", "begin", "piece"), ENDLESS.values(), ids=ENDLESS)
def test_an_answer_without_end_is_refused_and_leaves_nothing(alice, served_by, model, begin, piece):
    body = Endless(begin, piece, MORE)
    served_by.answers = [Answer(body)]
    chat = alice.new_chat()
    last = alice.turn(chat, "hello", modelId=model)[-1]
    assert "could not be read" in last["errorText"]
    assert (alice.records("ai-messages"), body.sent < MORE) == ([], True)


@on_sqlite
@pytest.mark.parametrize(("model", "part_of"), PARTS.values(), ids=PARTS)
def test_parts_without_end_are_refused(alice, served_by, model, part_of):
    served_by.answers = [Answer(events(BEGIN, *map(part_of, range(MOST_PARTS + 1))))]
    last = alice.turn(alice.new_chat(), "hello", modelId=model)[-1]
    assert "could not be read" in last["errorText"]
    assert alice.records("ai-messages") == []


@on_sqlite
def test_a_host_that_repeats_a_name_costs_no_more_with_each_fragment(alice, served_by, monkeypatch):
    """Each fragment may end an object, so that the whole text is parsed again."""
    named = {"name": "records__query", "arguments": '{"a": "' + "}" * 2_000_000}
    again = {"name": "records__query", "arguments": "}"}
    end = {"choices": [{"delta": {}, "finish_reason": "tool_calls"}]}
    pieces = [call(index=0, function=named), *[call(index=0, function=again)] * 100, end]
    served_by.answers = [Answer(events(*pieces)), Answer(events(of_b(content="ok"), end))]
    parse, parsed = calls.is_object, []
    monkeypatch.setattr(calls, "is_object", lambda text: parsed.append(len(text)) or parse(text))
    chunks = alice.turn(alice.new_chat(), "hello", modelId="gen-5.4")
    assert [c["type"] for c in chunks if "error" in c["type"]] == ["tool-input-error"]
    assert calls.MOST_PARSED < sum(parsed) < calls.MOST_PARSED + MOST


@on_sqlite
@pytest.mark.parametrize("item", [{}, {"id": "c9"}, {"index": 9}], ids=str)
def test_an_event_of_very_many_small_values_is_refused_at_once(alice, served_by, item):
    served_by.answers = [Answer(events(of_b(tool_calls=[item] * 500_000)))]
    began = time.process_time()
    last = alice.turn(alice.new_chat(), "hello", modelId="gen-5.4")[-1]
    assert "could not be read" in last["errorText"]
    assert time.process_time() - began < 2


def test_fragments_of_many_calls_cost_no_more_than_those_of_one():
    assert lines_of_fragments(900) == lines_of_fragments(1)


def lines_of_fragments(count):
    """Return how many lines are executed for fragments of the last and the first of some calls."""
    decoder = WIRE.decoder(NameTable(["records.query"]))

    def feed(*parts):
        data = json.dumps(of_b(tool_calls=parts)).encode()
        return len(list(decoder.feed(ServerSentEvent("", data))))

    opened = [{"index": number, "id": f"c{number}", "function": NAMED} for number in range(count)]
    assert feed(*opened) == count
    return count_lines(lambda: feed({"id": f"c{count - 1}"}, {"index": 0}))
