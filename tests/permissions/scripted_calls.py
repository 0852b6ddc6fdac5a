"""The streams of a scripted model that calls tools, in the format of Anthropic."""

import json
from typing import Any

from tests import model_streams
from tests.people import Person
from tests.upstream import Answer, ScriptedUpstream

Call = tuple[str, dict[str, Any]]


def stream_of_calls(*wanted: Call) -> str:
    """Return a stream that calls these tools with these inputs."""
    events: list[dict[str, Any]] = [{"type": "message_start", "message": {"usage": {}}}]
    for index, (name, given) in enumerate(wanted):
        block = {"type": "tool_use", "id": f"toolu_{index}", "input": {}}
        block["name"] = name.replace(".", "__")
        delta = {"type": "input_json_delta", "partial_json": json.dumps(given)}
        events += [
            {
                "type": "content_block_start",
                "index": index,
                "content_block": {**block, "input": {}},
            },
            {"type": "content_block_delta", "index": index, "delta": delta},
            {"type": "content_block_stop", "index": index},
        ]
    stop = {"stop_reason": "tool_use"}
    events += [
        {"type": "message_delta", "delta": stop, "usage": {"input_tokens": 9, "output_tokens": 9}},
        {"type": "message_stop"},
    ]
    return "".join(f"event: {e['type']}\ndata: {json.dumps(e)}\n\n" for e in events)


def turn_of(someone: Person, upstream: ScriptedUpstream, *steps: list[Call]) -> list[Any]:
    """Run a turn with these steps of calls; return each call's output or its error's text.

    The order is that of the calls, whichever ends first.
    """
    streams = [*(stream_of_calls(*step) for step in steps), model_streams.anthropic("done")]
    upstream.answers = [Answer(stream) for stream in streams]
    chunks = someone.turn(someone.new_chat(), "go on")
    assert chunks[-1]["type"] == "finish", chunks[-1]
    results = {
        chunk["toolCallId"]: chunk["output"] if "output" in chunk else chunk["errorText"]
        for chunk in chunks
        if chunk["type"].startswith("tool-output-")
    }
    assert len(results) == sum(map(len, steps)), chunks
    made = [chunk["toolCallId"] for chunk in chunks if chunk["type"] == "tool-input-available"]
    return [results[call_id] for call_id in made]
