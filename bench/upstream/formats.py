"""What the two kinds of model providers send, as HTTP chunks: Anthropic's and OpenAI's.

Sources: docs.anthropic.com, "Streaming Messages"; platform.openai.com, "Streaming API responses".
"""

import json
from collections.abc import Callable
from dataclasses import dataclass

from bench import wire

HEAD = (
    b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\n"
    b"cache-control: no-cache\r\ntransfer-encoding: chunked\r\n\r\n"
)
TOOL = "user__current"  # on the wire: it reads one row and takes nothing
INPUT_TOKENS = 20


@dataclass(frozen=True)
class Format:
    """`delta` has a place for a token; `result` stands once for each tool result of a request.

    `end` gets the number of tokens, `call` that of the step.
    """

    begin: bytes
    delta: str
    end: Callable[[int], bytes]
    call: Callable[[int], bytes]
    result: bytes


def format_of(head: bytes) -> Format:
    """The format of a request's path."""
    return OPENAI if b"/chat/completions " in head[:100] else ANTHROPIC


def _event(kind: str, **fields: object) -> bytes:
    return f"event: {kind}\ndata: {_dump({'type': kind, **fields})}\n\n".encode()


def _dump(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))


def _chunks(*events: bytes) -> bytes:
    return b"".join(map(wire.chunk, events))


_MESSAGE = {
    "id": "msg_bench", "type": "message", "role": "assistant", "model": "bench", "content": [],
    "stop_reason": None, "stop_sequence": None,
    "usage": {"input_tokens": INPUT_TOKENS, "output_tokens": 1},
}  # fmt: skip
_BEGIN = HEAD + _chunks(_event("message_start", message=_MESSAGE))


def _block(block: dict[str, object]) -> bytes:
    return _event("content_block_start", index=0, content_block=block)


def _anthropic_end(tokens: int, reason: str = "end_turn") -> bytes:
    delta, usage = {"stop_reason": reason, "stop_sequence": None}, {"output_tokens": tokens}
    stop = _event("content_block_stop", index=0)
    last = _event("message_delta", delta=delta, usage=usage)
    return _chunks(stop, last, _event("message_stop")) + wire.LAST_CHUNK


def _anthropic_call(step: int) -> bytes:
    block = _block({"type": "tool_use", "id": f"toolu_bench{step}", "name": TOOL, "input": {}})
    delta = {"type": "input_json_delta", "partial_json": "{}"}
    fragment = _event("content_block_delta", index=0, delta=delta)
    return _BEGIN + _chunks(block, fragment) + _anthropic_end(8, "tool_use")


ANTHROPIC = Format(
    begin=_BEGIN + _chunks(_block({"type": "text", "text": ""}), _event("ping")),
    delta="event: content_block_delta\n"
    'data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"%s"}}\n\n',
    end=_anthropic_end,
    call=_anthropic_call,
    result=b'"tool_use_id"',
)

_FIELDS = {
    "id": "chatcmpl-bench", "object": "chat.completion.chunk", "created": 0, "model": "bench",
}  # fmt: skip


def _choice(delta: dict[str, object], reason: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": reason}
    return f"data: {_dump({**_FIELDS, 'choices': [choice]})}\n\n".encode()


def _openai_end(tokens: int, reason: str = "stop") -> bytes:
    usage = {
        "prompt_tokens": INPUT_TOKENS, "completion_tokens": tokens,
        "total_tokens": INPUT_TOKENS + tokens,
    }  # fmt: skip
    counted = f"data: {_dump({**_FIELDS, 'choices': [], 'usage': usage})}\n\n".encode()
    return _chunks(_choice({}, reason), counted, b"data: [DONE]\n\n") + wire.LAST_CHUNK


def _openai_call(step: int) -> bytes:
    function = {"name": TOOL, "arguments": "{}"}
    call = {"index": 0, "id": f"call_bench{step}", "type": "function", "function": function}
    return _OPENAI_BEGIN + _chunks(_choice({"tool_calls": [call]})) + _openai_end(8, "tool_calls")


_OPENAI_BEGIN = HEAD + _chunks(_choice({"role": "assistant", "content": ""}))
OPENAI = Format(
    begin=_OPENAI_BEGIN,
    delta=_choice({"content": "@"}).decode().replace("@", "%s"),
    end=_openai_end,
    call=_openai_call,
    result=b'"tool_call_id"',
)
