"""Streams that real providers sent, where they are at hand, and what they say by themselves.

They are other people's recordings and stay outside this project: FIXTURES_DIR names the folder in
whose `wires` they are. Expectations come from the recordings' own JSON, by means that share nothing
with the wires.
"""

import json
import os
from collections.abc import Iterator
from pathlib import Path

from service.providers.events import Usage
from service.providers.provider import Wire
from tests.providers.stream_reading import BC, A, Answer, payloads

FOLDER = Path(os.environ["FIXTURES_DIR"], "wires") if os.environ.get("FIXTURES_DIR") else None
SUFFIXES = (".chunks.txt", ".sse", ".txt")
FILES = sorted(
    str(path.relative_to(FOLDER))
    for path in (FOLDER.rglob("*") if FOLDER else ())
    if path.name.endswith(SUFFIXES)
)
REASONS = {
    "end_turn": "stop",
    "max_tokens": "length",
    "tool_use": "tool-calls",
    "refusal": "content-filter",
    "stop": "stop",
    "length": "length",
    "tool_calls": "tool-calls",
}


def wire_of(name: str) -> Wire:
    return A if b'"message_start"' in (FOLDER / name).read_bytes() else BC


def recorded_bytes(name: str, line_end: bytes = b"\n") -> bytes:
    """The recording as it went over the wire; `.chunks.txt` files lack the framing."""
    data = (FOLDER / name).read_bytes()
    if name.endswith(".chunks.txt"):
        data = b"".join(_framed(line, wire_of(name)) for line in data.splitlines() if line.strip())
        data += b"" if wire_of(name) is A else b"data: [DONE]\n\n"
    return data.replace(b"\r\n", b"\n").replace(b"\n", line_end)


def _framed(line: bytes, wire: Wire) -> bytes:
    name = f"event: {json.loads(line)['type']}\n".encode() if wire is A else b""
    return name + b"data: " + line + b"\n\n"


def expected(name: str) -> Answer:
    """What the recording says. `progress` is not part of it."""
    lines = [payload for _, payload in payloads(recorded_bytes(name))]
    return _messages(lines) if wire_of(name) is A else _chat(lines)


def _messages(lines: list[dict]) -> Answer:
    text, calls, usage, reason = "", {}, {}, None
    for line in lines:
        block, delta = line.get("content_block", {}), line.get("delta", {})
        said = line.get("usage") or line.get("message", {}).get("usage") or {}
        usage |= {key: value for key, value in said.items() if value is not None}
        text += block.get("text", "") + delta.get("text", "")
        reason = delta.get("stop_reason") or reason
        if block.get("type") == "tool_use":
            calls[line["index"]] = [block["name"], ""]
        elif line.get("index") in calls:
            calls[line["index"]][1] += delta.get("partial_json", "")
    read = usage.get("cache_read_input_tokens", 0)
    written = usage.get("cache_creation_input_tokens", 0)
    total = usage["input_tokens"] + read + written
    return _answer(
        text, calls.values(), Usage(total, usage["output_tokens"], read, written), reason
    )


def _chat(lines: list[dict]) -> Answer:
    text, calls, usage, reason = "", {}, None, None
    for line in lines:
        usage = line.get("usage") or line.get("x_groq", {}).get("usage") or usage
        for choice in line.get("choices", ()):
            delta = choice["delta"]
            text += delta.get("content") or ""
            reason = choice["finish_reason"] or reason
            for call in delta.get("tool_calls") or ():
                name, arguments = calls.setdefault(call.get("index"), ["", ""])
                function = call["function"]
                calls[call.get("index")] = [
                    name + function.get("name", ""),
                    arguments + function["arguments"],
                ]
    return _answer(text, calls.values(), usage and usage_of(usage), reason)


def usage_of(usage: dict) -> Usage:
    cached = (usage.get("prompt_tokens_details") or {}).get("cached_tokens", 0)
    return Usage(usage["prompt_tokens"], usage["completion_tokens"], cached)


def _answer(text: str, calls: Iterator, usage: Usage | None, reason: str | None) -> Answer:
    fault = "cut" if reason == "max_tokens" else None
    called = tuple((name, arguments or "{}", fault) for name, arguments in calls)
    return Answer(text, called, usage, REASONS.get(reason, "none"))
