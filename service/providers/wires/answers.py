"""What both wires do alike: JSON both ways, and HTTP statuses as faults."""

import json
import re
from typing import Any

from service.providers.events import Fault, ProviderError

# No context is a tenth as wide. JSON can carry 1e999, and a turn's sum has to fit an INTEGER.
COUNT_LIMIT = 100_000_000


def dump(body: dict[str, Any]) -> bytes:
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()


def parse(data: bytes) -> dict[str, Any]:
    """A JSON object; raises `ProviderError` for anything else."""
    try:
        parsed = json.loads(data.decode())  # json.loads would first guess the encoding
    except (ValueError, RecursionError):
        raise ProviderError("garbled") from None
    if not isinstance(parsed, dict):
        raise ProviderError("garbled")
    return parsed


def count(value: Any) -> int:
    """A token count as providers send them: a number, null or missing."""
    return int(value) if isinstance(value, int | float) and 0 < value < COUNT_LIMIT else 0


def fault_of(status: int) -> Fault:
    """The fault behind an HTTP status other than 200. Source: Anthropic and OpenAI error pages."""
    if status in (408, 409, 429) or status >= 500:
        return "busy"
    if status in (401, 402, 403):
        return "refused-key"
    return "refused-request" if status >= 400 else "garbled"


TOO_LONG = re.compile(
    r"prompt is too long|context.?(length|window)|maximum context|reduce the length|"
    r"too many tokens|request_too_large",
    re.I,
)


def refusal_of(status: int, error: Any) -> Fault:
    """The fault behind a refusal and the error that came with it.

    Hosts say in their own words that a prompt is too long. Source: their error pages, and issues
    filed against clients that did not know the words.
    """
    told = " ".join(str(error.get(key)) for key in ("type", "code", "message")) if error else ""
    if status in (400, 413, 422) and TOO_LONG.search(told):
        return "too-long"
    return fault_of(status)


def error_in(body: bytes) -> dict[str, Any]:
    """The error object of a JSON answer; empty for any other answer."""
    try:
        error = parse(body).get("error")
    except ProviderError:
        return {}
    return error if isinstance(error, dict) else {}
