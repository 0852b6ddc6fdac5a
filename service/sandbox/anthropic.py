"""The server side of the Anthropic Messages wire."""

import json
from collections.abc import Iterator
from typing import Any

from service.sandbox.assistant import AssistantInput, AssistantReply
from service.sandbox.frames import (
    SILENCE,
    estimate,
    frame,
    pieces,
    strip_context,
    tokens,
    tool_name,
    wire_name,
)


def read(body: dict[str, Any]) -> AssistantInput:
    """Read a Messages request."""
    texts: list[str] = []
    names: dict[str, str] = {}
    results: list[tuple[str, str]] = []
    for message in body["messages"]:
        for block in message["content"]:
            if block["type"] == "tool_use":
                names[block["id"]] = tool_name(block["name"])
            elif block["type"] == "tool_result":
                results.append((names[block["tool_use_id"]], block["content"]))
            elif message["role"] == "user" and (text := strip_context(block["text"])):
                texts.append(text)
                results = []
    return AssistantInput(
        text=texts[-1],
        earlier=tuple(texts[:-1]),
        results=tuple(results),
        tools=frozenset(tool_name(tool["name"]) for tool in body.get("tools", ())),
        may_call=body.get("tool_choice", {}).get("type") != "none",
    )


def frames(reply: AssistantReply, fault: str | None) -> Iterator[bytes]:
    """Yield the stream of a reply with a fault applied. `SILENCE` marks a pause."""
    for body in _events(reply, fault):
        if body is None:
            yield SILENCE
            continue
        yield frame(body, body["type"], padded=fault == "padded")
        if fault == "pings":
            yield b": a comment\n\n" + frame({"type": "ping"}, "ping")
            yield frame({"type": "yet_unknown_event", "index": 0}, "yet_unknown_event")


def _events(reply: AssistantReply, fault: str | None) -> Iterator[dict[str, Any] | None]:
    if fault == "silent-first":
        yield None
        return
    if fault == "overloaded-first":
        yield _error("overloaded_error")
        return
    start = {"id": "msg_sandbox", "role": "assistant", "usage": {"input_tokens": 20}}
    yield {"type": "message_start", "message": start}
    if fault == "second-start":
        yield {"type": "message_start", "message": start}
    if fault == "error-first":
        yield _error("api_error")
        return
    if fault == "reasoning":
        yield from _block(9, {"type": "thinking", "thinking": ""}, _thinking("let me think"))
    if fault in ("refusal", "no-text"):
        yield from _end("refusal" if fault == "refusal" else "end_turn", reply)
        return
    yield from _content(reply, fault)


def _content(reply: AssistantReply, fault: str | None) -> Iterator[dict[str, Any] | None]:
    words = tokens(reply.text)
    is_partial = fault in ("error-midway", "cut", "silent")
    deltas = [{"type": "text_delta", "text": token} for token in words[: 3 if is_partial else None]]
    if deltas:
        yield from _block(0, {"type": "text", "text": ""}, deltas)
    if fault == "silent":
        yield None
    if fault == "error-midway":
        yield _error("api_error")
    if is_partial:
        return
    for index, (name, values) in enumerate(reply.calls, 1):
        arguments = json.dumps(values) if values else ""
        truncated = fault in ("cut-in-call", "length-in-call") and arguments
        arguments = arguments[: len(arguments) // 2] if truncated else arguments
        fragments = list(pieces(arguments)) or [""]
        call_id = "" if fault == "no-ids" else f"toolu_{index}"
        block = {"type": "tool_use", "id": call_id, "name": wire_name(name), "input": {}}
        yield from _block(
            index, block, [{"type": "input_json_delta", "partial_json": f} for f in fragments]
        )
    if fault == "cut-in-call" and reply.calls:
        return
    yield from _end(_reason(reply, fault), reply, counted=fault != "no-usage")


def _reason(reply: AssistantReply, fault: str | None) -> str:
    if reply.calls:
        return "max_tokens" if fault == "length-in-call" else "tool_use"
    return "pause_turn" if fault == "pause" else "end_turn"


def _block(
    index: int, block: dict[str, Any], deltas: list[dict[str, Any]]
) -> Iterator[dict[str, Any]]:
    yield {"type": "content_block_start", "index": index, "content_block": block}
    for delta in deltas:
        yield {"type": "content_block_delta", "index": index, "delta": delta}
    yield {"type": "content_block_stop", "index": index}


def _thinking(text: str) -> list[dict[str, Any]]:
    return [{"type": "thinking_delta", "thinking": token} for token in tokens(text)]


def _end(reason: str, reply: AssistantReply, counted: bool = True) -> Iterator[dict[str, Any]]:
    usage = {"output_tokens": estimate(reply.text)} if counted else {}
    yield {"type": "message_delta", "delta": {"stop_reason": reason}, "usage": usage}
    yield {"type": "message_stop"}


def _error(kind: str) -> dict[str, Any]:
    return {"type": "error", "error": {"type": kind, "message": "secret of upstream-host"}}
