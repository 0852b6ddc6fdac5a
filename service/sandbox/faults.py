"""The faults that `/fail NAME` in a message makes the sandbox's models produce.

A refusal is sent in place of the stream. A break must end the turn with an error. A shape is an
oddity of real hosts that must make no difference. docs/sandbox.md lists them all; a test compares.
"""

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Refusal:
    """An HTTP answer in place of a stream."""

    status: int
    body: str
    content_type: str = "application/json"
    retry_after: int | None = None


HTML = "<!doctype html><title>502</title><h1>Bad gateway of upstream-host.internal</h1>"

REFUSALS = {
    "rate-limit": Refusal(429, '{"error":{"type":"rate_limit_error"}}', retry_after=1),
    "overloaded": Refusal(529, '{"error":{"type":"overloaded_error"}}', retry_after=1),
    "server-error": Refusal(500, '{"error":{"message":"stack trace of upstream-host"}}'),
    "wrong-key": Refusal(401, '{"error":{"message":"invalid key sk-canary-123"}}'),
    "bad-request": Refusal(400, '{"error":{"type":"invalid_request_error"}}'),
    "html": Refusal(502, HTML, "text/html"),
    "html-200": Refusal(200, HTML, "text/html"),
    "not-json": Refusal(200, "data: this is not JSON\n\n", "text/event-stream"),
    "garbage": Refusal(200, "\x00\x1b\x7f garbage \x00" * 50, "text/event-stream"),
    "empty": Refusal(200, "", "text/event-stream"),
}

BREAKS = {
    "error-first": "an error event before the first token",
    "error-midway": "an error event after some tokens",
    "overloaded-first": "an overloaded error as the first event of a 200",
    "cut": "the connection ends after some tokens",
    "cut-in-call": "the connection ends inside a tool call",
    "silent": "nothing comes for ten minutes after the first tokens",
    "silent-first": "nothing comes for ten minutes",
}

SHAPES = {
    "pings": "pings, comments and unknown events between the tokens",
    "crlf": "CRLF line ends",
    "bytes": "one byte a write",
    "padded": "spaces inside the JSON",
    "second-start": "the message starts twice (A), or an empty list of choices comes first (B, C)",
    "no-usage": "no usage at all",
    "no-done": "no [DONE] at the end (B, C)",
    "reasoning": "reasoning before the text, under every name hosts give it",
    "no-ids": "tool calls without ids",
    "late-name": "a call's name after its arguments (B, C)",
    "length-in-call": "the token limit is reached inside a call",
    "refusal": "the model refuses, without any content",
    "pause": "the step pauses and wants to go on (A)",
    "no-text": "an answer without any text",
    "tool-use-failed": "the host refuses its model's call (B, C)",
    "call-anyway": "a tool call though none is allowed",
}

NAMES = (*REFUSALS, *BREAKS, *SHAPES)


def named_fault(text: str) -> str | None:
    """Return the fault that a message names, or None."""
    match = re.search(r"/fail ([\w-]+)", text)
    return match[1] if match and match[1] in NAMES else None
