"""Rules for request bodies that model hosts refuse, written from the hosts' documentation.

`complaints(kind, body)` lists what a host of that kind (A: Anthropic; B: OpenAI; C: a compatible
host of gpt-oss such as Groq, Cerebras or vLLM) would answer 400 to. Sources: Anthropic's Messages
and OpenAI's chat completions references, and the 400s quoted in public issues: "content cannot be
empty if `is_error` is true" (trae-agent#231), "string too long. Expected a string with maximum
length 40" (autogen#6377), `wrong_api_format` for reasoning in history (chatwise#1442).
"""

import json
import re
from collections.abc import Iterator
from typing import Any

ID = re.compile(r"[a-zA-Z0-9_-]+")
NAME = re.compile(r"[a-zA-Z0-9_-]+")
LONGEST_ID = {"A": 64, "B": 40, "C": 40}
LONGEST_NAME = {"A": 128, "B": 64, "C": 64}
KEYS = {
    "text": {"type", "text", "cache_control"},
    "tool_use": {"type", "id", "name", "input", "cache_control"},
    "tool_result": {"type", "tool_use_id", "content", "is_error", "cache_control"},
    "system": {"role", "content"},
    "user": {"role", "content"},
    "assistant": {"role", "content", "tool_calls"},
    "tool": {"role", "tool_call_id", "content"},
}
Json = dict[str, Any]


def complaints(kind: str, body: bytes) -> list[str]:
    request = json.loads(body.decode(), parse_constant=_no_constant)
    found = [*_tools(kind, request), *(_a(request) if kind == "A" else _bc(kind, request))]
    return [f"{kind}: {complaint}" for complaint in found]


def _no_constant(name: str) -> None:
    raise AssertionError(f"{name} is no JSON")


def _tools(kind: str, request: Json) -> Iterator[str]:
    declared = [tool if kind == "A" else tool["function"] for tool in request.get("tools", ())]
    names = [tool["name"] for tool in declared]
    if len(set(names)) < len(names):
        yield f"a tool is declared twice: {names}"
    yield from (f"tool name {name!r}" for name in names if not _is_name(kind, name))
    if "tools" in request and not names:
        yield "an empty list of tools"


def _is_name(kind: str, name: str) -> bool:
    return bool(NAME.fullmatch(name)) and len(name) <= LONGEST_NAME[kind]


def _ids(kind: str, ids: list[str]) -> Iterator[str]:
    yield from (f"call id {id!r}" for id in ids if not ID.fullmatch(id))
    yield from (f"long call id {id!r}" for id in ids if len(id) > LONGEST_ID[kind])
    if len(set(ids)) < len(ids):
        yield "a call id is used twice"


def _blank(text: object) -> bool:
    return not isinstance(text, str) or not text.strip()


# Anthropic Messages


def _a(request: Json) -> Iterator[str]:
    messages = request["messages"]
    roles = [message["role"] for message in messages]
    if roles != ["user", "assistant"] * (len(roles) // 2) + ["user"] * (len(roles) % 2):
        yield f"roles do not alternate from user: {roles}"
    if roles[-1:] != ["user"]:
        yield "does not end with the user"
    if any(_blank(block["text"]) for block in request["system"]) or request["max_tokens"] < 1:
        yield "no system text or no max_tokens"
    for message in messages:
        yield from _blocks(message)
    uses = [block for message in messages for block in _of(message, "tool_use")]
    yield from _ids("A", [use["id"] for use in uses])
    if uses and not request.get("tools"):
        yield "tool blocks without tools"
    if json.dumps(request).count('"cache_control": {"type": "ephemeral"}') > 4:
        yield "more than four marks of the cache"
    for before, message in zip([{"content": []}, *messages], messages, strict=False):
        yield from _answers(before, message)
    if messages and _of(messages[-1], "tool_use"):
        yield "the last calls have no results"


def _of(message: Json, kind: str) -> list[Json]:
    return [block for block in message["content"] if block["type"] == kind]


def _blocks(message: Json) -> Iterator[str]:
    allowed = {"user": ("text", "tool_result"), "assistant": ("text", "tool_use")}[message["role"]]
    if not message["content"] or message.keys() != {"role", "content"}:
        yield f"empty or odd message {message}"
    for block in message["content"]:
        if block["type"] not in allowed or block.keys() - KEYS[block["type"]]:
            yield f"a block {block} of {message['role']}"
        elif block["type"] == "text" and _blank(block["text"]):
            yield "blank text"
        elif block["type"] == "tool_use":
            if not _is_name("A", block["name"]) or not isinstance(block["input"], dict):
                yield f"tool_use {block}"
        elif block["type"] == "tool_result" and not _is_result(block):
            yield f"tool_result {block}"


def _is_result(block: Json) -> bool:
    content = block["content"]
    return isinstance(content, str) and bool(content or not block["is_error"])


def _answers(before: Json, message: Json) -> Iterator[str]:
    """Each call of the message before has one result here, in front of everything else."""
    asked = sorted(use["id"] for use in _of(before, "tool_use"))
    given = [result["tool_use_id"] for result in _of(message, "tool_result")]
    if asked != sorted(given):
        yield f"calls {asked} have results {given}"
    first = message["content"][: len(given)]
    if any(block["type"] != "tool_result" for block in first):
        yield "results do not come first"


# OpenAI chat completions and compatible hosts


def _bc(kind: str, request: Json) -> Iterator[str]:
    messages = request["messages"]
    if messages[0]["role"] != "system" or len(messages) < 2:
        yield "no system message, or no other"
    if kind == "C" and messages[1:2] and messages[1]["role"] != "user":
        yield "does not begin with the user"
    if messages[-1]["role"] not in ("user", "tool"):
        yield f"ends with {messages[-1]['role']}"
    open_calls: list[str] = []
    for message in messages:
        yield from _content(kind, message)
        if message["role"] == "tool" and message["tool_call_id"] in open_calls:
            open_calls.remove(message["tool_call_id"])
        elif message["role"] == "tool":
            yield f"an orphan result {message['tool_call_id']!r}"
        elif open_calls:
            yield f"calls {open_calls} have no result directly after"
            open_calls = []
        calls = message.get("tool_calls", ())
        open_calls += [call["id"] for call in calls]
        yield from (c for call in calls for c in _call(kind, call))
    if open_calls:
        yield "the last calls have no results"
    yield from _ids(kind, [call["id"] for m in messages for call in m.get("tool_calls", ())])


def _content(kind: str, message: Json) -> Iterator[str]:
    if extra := message.keys() - KEYS[message["role"]]:
        yield f"{message['role']} with {extra}"
    if "tool_calls" in message and not message["tool_calls"]:
        yield "an empty list of calls"
    content = message["content"]
    if content is None:
        if not message.get("tool_calls"):
            yield "null content without calls"
    elif content == "" or (kind == "C" and _blank(content)):
        yield f"{message['role']} says {content!r}"


def _call(kind: str, call: Json) -> Iterator[str]:
    function = call["function"]
    if call.keys() != {"id", "type", "function"} or call["type"] != "function":
        yield f"call {call}"
    if not _is_name(kind, function["name"]):
        yield f"function name {function['name']!r}"
    try:
        arguments = json.loads(function["arguments"], parse_constant=_no_constant)
    except ValueError:
        arguments = None
    if not isinstance(arguments, dict):
        yield f"arguments {function['arguments']!r}"
