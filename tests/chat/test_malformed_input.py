"""Arguments of a call that are no object in JSON: nothing is run, and the chat goes on."""

import json

import pytest

from tests.people import text_of
from tests.services import on_sqlite
from tests.upstream import Answer

NOTE = '{"collection": "notes", "data": {"title": "t"}'
MALFORMED = {
    "truncated": NOTE,
    "array": f"[{NOTE}}}]",
    "number": "7",
    "string": '"notes"',
    "null": "null",
    "nan": '{"collection": "notes", "data": {"title": NaN}}',
    "two values": NOTE + "}" + NOTE + "}",
    "channel tokens": f"<|channel|>commentary json<|message|>{NOTE}}}",
    "a megabyte": "x" * 1_000_000,
    "empty": "",
}


def asks(arguments: str) -> Answer:
    """A host's stream with a call of a tool that writes."""
    call = {"index": 0, "id": "c", "function": {"name": "records__create", "arguments": arguments}}
    chunk = {"choices": [{"delta": {"tool_calls": [call]}, "finish_reason": "tool_calls"}]}
    return Answer(f"data: {json.dumps(chunk)}\n\n")


@on_sqlite
@pytest.mark.parametrize("arguments", MALFORMED.values(), ids=MALFORMED)
def test_a_call_with_malformed_arguments_is_told_to_the_model_and_not_run(
    alice, served_by, stream_of, arguments
):
    served_by.answers = [asks(arguments), stream_of("ok")]
    chat = alice.new_chat()
    chunks = alice.turn(chat, "hello", modelId="gen-5.4")
    assert [c["type"] for c in chunks if "error" in c["type"]] == ["tool-input-error"]
    assert (text_of(chunks), alice.records("notes")) == ("ok", [])
    assert text_of(alice.turn(chat, "again", modelId="gen-5.4")) == "ok"
    for seen in served_by.seen[1:]:
        calls = [c for m in seen.json["messages"] for c in m.get("tool_calls", [])]
        assert [type(json.loads(c["function"]["arguments"])) for c in calls] == [dict]
