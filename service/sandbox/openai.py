"""The server side of the OpenAI chat completions wire."""

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
    """Read a chat completions request."""
    texts: list[str] = []
    names: dict[str, str] = {}
    results: list[tuple[str, str]] = []
    for message in body["messages"]:
        for call in message.get("tool_calls", ()):
            names[call["id"]] = tool_name(call["function"]["name"])
        if message["role"] == "tool":
            results.append((names[message["tool_call_id"]], message["content"]))
        elif message["role"] == "user":
            texts.append(strip_context(message["content"]))
            results = []
    tools = (tool["function"]["name"] for tool in body.get("tools", ()))
    return AssistantInput(
        text=texts[-1],
        earlier=tuple(texts[:-1]),
        results=tuple(results),
        tools=frozenset(map(tool_name, tools)),
        may_call=body.get("tool_choice") != "none",
    )


def frames(reply: AssistantReply, fault: str | None) -> Iterator[bytes]:
    """Yield the stream of a reply with a fault applied. `SILENCE` marks a pause."""
    for body in _chunks(reply, fault):
        if body is None:
            yield SILENCE
            continue
        yield frame(body, padded=fault == "padded")
        if fault == "pings":
            yield b": OPENROUTER PROCESSING\n\n"
    if fault not in (*WITHOUT_DONE, "no-done"):
        yield b"data: [DONE]\n\n"


WITHOUT_DONE = (
    "overloaded-first",
    "error-first",
    "error-midway",
    "cut",
    "cut-in-call",
    "silent",
    "silent-first",
)
TOOL_USE_FAILED = {
    "code": "tool_use_failed",
    "status_code": 400,
    "failed_generation": '{"name": "schema__describe", "arguments": {"foo": 1}}',
}


def _chunks(reply: AssistantReply, fault: str | None) -> Iterator[dict[str, Any] | None]:
    if fault == "silent-first":
        yield None
        return
    if fault in ("overloaded-first", "error-first"):
        yield {"error": {"type": "server_error", "message": "secret of upstream-host"}}
        return
    if fault == "second-start":
        yield {"choices": [], "prompt_filter_results": []}
    yield _delta({"role": "assistant", "content": ""})
    if fault == "reasoning":
        yield from (_delta({"reasoning": word, "channel": "analysis"}) for word in ("let ", "me "))
        yield _delta({"reasoning_content": "think"})
    if fault == "tool-use-failed" and not reply.text:
        yield {"error": TOOL_USE_FAILED}
        return
    if fault in ("refusal", "no-text"):
        yield _delta({}, "content_filter" if fault == "refusal" else "stop")
        return
    yield from _content(reply, fault)


def _content(reply: AssistantReply, fault: str | None) -> Iterator[dict[str, Any] | None]:
    words = tokens(reply.text)
    is_partial = fault in ("error-midway", "cut", "silent")
    yield from (_delta({"content": token}) for token in words[: 3 if is_partial else None])
    if fault == "silent":
        yield None
    if fault == "error-midway":
        yield {"error": {"message": "secret of upstream-host"}, "choices": []}
    if is_partial:
        return
    for index, call in enumerate(reply.calls):
        yield from _call(index, call, fault)
    if fault == "cut-in-call" and reply.calls:
        return
    yield _delta({}, _reason(reply, fault))
    if fault != "no-usage":
        usage = {"prompt_tokens": 20, "completion_tokens": estimate(reply.text)}
        yield {"choices": [], "usage": usage}


def _reason(reply: AssistantReply, fault: str | None) -> str:
    if reply.calls:
        return "length" if fault == "length-in-call" else "tool_calls"
    return "stop"


def _call(index: int, call: tuple[str, dict[str, Any]], fault: str | None) -> Iterator[Any]:
    name, arguments = wire_name(call[0]), json.dumps(call[1])
    if fault in ("cut-in-call", "length-in-call"):
        arguments = arguments[: len(arguments) // 2]
    head = {} if fault == "no-ids" else {"id": f"call_{index + 1}"}
    if fault == "late-name":
        yield _delta_call(index, {"arguments": arguments}, head)
        yield _delta_call(index, {"name": name}, head)
        return
    yield _delta_call(index, {"name": name, "arguments": ""}, head)
    yield from (_delta_call(index, {"arguments": piece}) for piece in pieces(arguments))


def _delta_call(index: int, function: dict[str, Any], head: dict[str, Any] | None = None) -> Any:
    return _delta({"tool_calls": [{"index": index, **(head or {}), "function": function}]})


def _delta(delta: dict[str, Any], reason: str | None = None) -> dict[str, Any]:
    return {"id": "sandbox", "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}
