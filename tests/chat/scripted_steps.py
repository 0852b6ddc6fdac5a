"""Answers of a model made of blocks, written for whichever wire asks."""

import json
from typing import Any

from tests.upstream import Answer, Seen

Block = tuple[str, ...]  # ("text", text), ("call", name, arguments) or ("void",)


def answer(seen: Seen, blocks: list[Block], reason: str | None = None) -> Answer:
    """A whole stream. ("void",) has the message begin anew, as provider A sometimes does."""
    events = _messages(blocks, reason) if "messages" in seen.path else _chat(blocks, reason)
    return Answer("".join(f"data: {json.dumps(event)}\n\n" for event in events))


def _messages(blocks: list[Block], reason: str | None) -> list[dict[str, Any]]:
    start = {"type": "message_start", "message": {"usage": {"input_tokens": 10}}}
    calls = any(block[0] == "call" for block in blocks)
    stop = reason or ("tool_use" if calls else "end_turn")
    ends = {"delta": {"stop_reason": stop}, "usage": {"output_tokens": 5}}
    said = [event for index, block in enumerate(blocks) for event in _block(index, block, start)]
    return [start, *said, {"type": "message_delta", **ends}, {"type": "message_stop"}]


def _block(index: int, block: Block, start: dict[str, Any]) -> list[dict[str, Any]]:
    at = {"type": "content_block_start", "index": index}
    more = {"type": "content_block_delta", "index": index}
    match block:
        case ("text", text):
            delta = {"type": "text_delta", "text": text}
            return [at | {"content_block": {"type": "text", "text": ""}}, more | {"delta": delta}]
        case ("call", name, given):
            call = {"type": "tool_use", "id": f"c{index}", "name": name, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": given}
            return [at | {"content_block": call}, more | {"delta": delta}]
    return [start]


def _chat(blocks: list[Block], reason: str | None) -> list[dict[str, Any]]:
    calls = [block for block in blocks if block[0] == "call"]
    deltas: list[dict[str, Any]] = []
    for block in blocks:
        if block[0] == "text":
            deltas.append({"content": block[1]})
        elif block[0] == "call":
            index = calls.index(block)
            function = {"name": block[1], "arguments": block[2]}
            called = {"index": len(deltas), "id": f"c{len(deltas)}-{index}", "function": function}
            deltas.append({"tool_calls": [called]})
    end = {"delta": {}, "finish_reason": reason or ("tool_calls" if calls else "stop")}
    return [{"choices": [{"delta": delta}]} for delta in deltas] + [{"choices": [end]}]
