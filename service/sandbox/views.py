"""The three providers' HTTP endpoints, which answer with a streamed reply of the assistant."""

import re
from collections.abc import Iterator
from typing import Any

import gevent
from flask import Blueprint, Response, request

from service.sandbox import anthropic, faults, openai
from service.sandbox.assistant import SUMMARIZE, AssistantInput, AssistantReply, reply

TOKEN_SECONDS = 0.01
SILENCE_SECONDS = 600
CALLING = ("no-ids", "late-name", "cut-in-call", "length-in-call")

wires = Blueprint("wires", __name__)


@wires.post("/provider-a/v1/messages")
def messages() -> Response:
    """Stand in for the Anthropic Messages API"""
    if not request.headers.get("x-api-key"):
        return _refuse(faults.REFUSALS["wrong-key"])
    return _answer(anthropic, anthropic.read(request.get_json()))


@wires.post("/provider-<any(b, c):kind>/v1/chat/completions")
def completions(kind: str) -> Response:
    """Stand in for the OpenAI chat completions API"""
    if not request.headers.get("authorization"):
        return _refuse(faults.REFUSALS["wrong-key"])
    return _answer(openai, openai.read(request.get_json()))


def _answer(wire: Any, received: AssistantInput) -> Response:
    is_summary = received.text.startswith(SUMMARIZE)  # its messages have had their faults
    fault = None if is_summary else faults.named_fault(received.text)
    if fault in faults.REFUSALS:
        return _refuse(faults.REFUSALS[fault])
    frames = wire.frames(_reply(received, fault), fault)
    return Response(_pace(frames, fault), content_type="text/event-stream")


def _reply(received: AssistantInput, fault: str | None) -> AssistantReply:
    if fault == "call-anyway":
        return AssistantReply(calls=(("schema.list", {}),))
    if fault in CALLING and not received.results:
        return AssistantReply(
            calls=(("schema.list", {}), ("schema.describe", {"collection": "ai-chats"}))
        )
    text = re.sub(r"/fail [\w-]+ ?", "", received.text)
    plain = AssistantInput(
        text, received.earlier, received.results, received.tools, received.may_call
    )
    return reply(plain)


def _pace(frames: Iterator[bytes], fault: str | None) -> Iterator[bytes]:
    """Yield one frame after another. An empty frame is the silence of a model that hangs."""
    for frame in frames:
        if not frame:
            gevent.sleep(SILENCE_SECONDS)
        if fault == "crlf":
            frame = frame.replace(b"\n", b"\r\n")
        if fault == "bytes":
            yield from (frame[i : i + 1] for i in range(len(frame)))
        else:
            yield frame
        gevent.sleep(TOKEN_SECONDS)


def _refuse(refusal: faults.Refusal) -> Response:
    response = Response(refusal.body, refusal.status, content_type=refusal.content_type)
    if refusal.retry_after is not None:
        response.headers["Retry-After"] = str(refusal.retry_after)
    return response
