"""Functions of both wires: encoding and decoding JSON, and the faults of HTTP statuses."""

import json
import re
from typing import Any

from service.json_encoding import encoder
from service.providers.events import Fault, ProviderError

# Ten times the largest context. JSON can have 1e999, and the sum of a turn must fit an INTEGER.
COUNT_LIMIT = 100_000_000
# An event of megabytes has one long text. Megabytes of small values would take seconds to parse,
# and longer to read.
LARGE_BYTES = 128 << 10  # bytes
MOST_BRACKETS = 50_000  # of a large event, also those in its texts

_encode = encoder()
_value_at = json.JSONDecoder().raw_decode


def dump(body: Any) -> bytes:
    return _encode(body).encode()


def parse_event(data: bytes) -> dict[str, Any]:
    """A JSON object; raises `ProviderError` for anything else, and for too many values."""
    if len(data) > LARGE_BYTES and data.count(b"{") + data.count(b"[") > MOST_BRACKETS:
        raise ProviderError("garbled")
    return parse(data)


def parse(data: bytes) -> dict[str, Any]:
    """Parse a JSON object. Raises `ProviderError` for anything else."""
    try:
        text = data.decode()  # json.loads would first guess the encoding
        # Nearly all are objects without white space around them, which json.loads would look for.
        parsed, end = _value_at(text) if text.startswith("{") else (None, -1)
        if end != len(text):
            parsed = json.loads(text)
    except (ValueError, RecursionError):
        raise ProviderError("garbled") from None
    if not isinstance(parsed, dict):
        raise ProviderError("garbled")
    return parsed


def object_in(data: bytes) -> dict[str, Any]:
    """Parse a JSON object; returns an empty one for anything else."""
    try:
        return parse(data)
    except ProviderError:
        return {}


def count(value: Any) -> int:
    """Return a token count from a provider's value: a number, null or missing."""
    return int(value) if isinstance(value, int | float) and 0 < value < COUNT_LIMIT else 0


def fault_of(status: int) -> Fault:
    """Return the fault of an HTTP status other than 200.

    Source: Anthropic and OpenAI error pages.
    """
    if status in (408, 409, 429, 503, 529):
        return "busy"
    if status >= 500:
        return "down"
    if status in (401, 402, 403):
        return "refused-key"
    if status == 404:
        return "unknown-model"
    return "refused-request" if status >= 400 else "garbled"


TOO_LONG = re.compile(
    r"(prompt|input) is too long|context.?(length|window|size|limit)|maximum context|"
    r"reduce the length|too many tokens|maximum number of tokens|request_too_large|"
    r"(array|string)_above_max_length",
    re.I,
)


# For an empty account OpenAI answers 429, Anthropic 400; a retry would not help. Anthropic answers
# 429 for a spend limit of a contract or a tier, and 400 for one that the customer has set.
UNPAID = re.compile(
    r"insufficient_(quota|funds|balance|credits)|billing_(error|hard_limit_reached|not_active)|"
    r"credit balance is too low|spend_limit_reached|your specified API usage limits|"
    r"account_deactivated|organization_on_hold",
    re.I,
)
UNKNOWN_MODEL = re.compile(r"model_(not_found|decommissioned|not_available)|unknown_model", re.I)


def refusal_of(status: int, error: Any) -> Fault:
    """Return the fault of a status other than 200 with its error object.

    Each host has its own text for a prompt that is too long. Source: the hosts' error pages, and
    issues of clients that did not recognise a text.
    """
    if fault := operators_fault(error):
        return fault
    if status == 413 or (status in (400, 422) and TOO_LONG.search(_text_of(error))):
        return "too-long"
    return fault_of(status)


def operators_fault(error: Any) -> Fault | None:
    """Return the fault of an error that only the operator can correct; else None."""
    text = _text_of(error)
    if UNPAID.search(text):
        return "refused-key"
    return "unknown-model" if UNKNOWN_MODEL.search(text) else None


def fault_in_stream(error: Any, fault: Fault) -> Fault:
    """Return the fault of an error inside a stream.

    `fault` is what its type says, or "failed". Some hosts begin a stream before they measure the
    prompt, and say only in their text that it is too long.
    """
    if own := operators_fault(error):
        return own
    says_more = fault in ("refused-request", "failed") and TOO_LONG.search(_text_of(error))
    return "too-long" if says_more else fault


def _text_of(error: Any) -> str:
    """Return the type, codes and message of an error. Anthropic's code is in its details."""
    if not error:
        return ""
    details = error.get("details")
    code = details.get("error_code") if isinstance(details, dict) else None
    return " ".join(str(each) for each in (*map(error.get, ("type", "code", "message")), code))


def error_in(body: bytes) -> dict[str, Any]:
    """Return the error object of a JSON answer; empty for any other answer.

    Ollama's error is a text; in older versions of vLLM the whole answer is the error.
    """
    answer = object_in(body)
    error = answer.get("error", answer)
    return error if isinstance(error, dict) else {"message": error}
