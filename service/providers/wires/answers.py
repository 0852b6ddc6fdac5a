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
    if status == 404:
        return "unknown-model"
    return "refused-request" if status >= 400 else "garbled"


TOO_LONG = re.compile(
    r"(prompt|input) is too long|context.?(length|window|size|limit)|maximum context|"
    r"reduce the length|too many tokens|maximum number of tokens|request_too_large|"
    r"(array|string)_above_max_length",
    re.I,
)


# OpenAI answers 429 for an empty account, Anthropic 400: to ask again does not help.
UNPAID = re.compile(
    r"insufficient_(quota|funds|balance|credits)|billing_(error|hard_limit_reached|not_active)|"
    r"credit balance is too low|account_deactivated",
    re.I,
)
UNKNOWN_MODEL = re.compile(r"model_(not_found|decommissioned|not_available)|unknown_model", re.I)


def refusal_of(status: int, error: Any) -> Fault:
    """The fault behind a refusal and the error that came with it.

    Hosts say in their own words that a prompt is too long. Source: their error pages, and issues
    filed against clients that did not know the words.
    """
    told = _words(error)
    if operators := operators_fault(error):
        return operators
    if status == 413 or (status in (400, 422) and TOO_LONG.search(told)):
        return "too-long"
    return fault_of(status)


def operators_fault(error: Any) -> Fault | None:
    """The fault of an error that only the operator can mend, with any status; else None."""
    told = _words(error)
    if UNPAID.search(told):
        return "refused-key"
    return "unknown-model" if UNKNOWN_MODEL.search(told) else None


def _words(error: Any) -> str:
    return " ".join(str(error.get(key)) for key in ("type", "code", "message")) if error else ""


def error_in(body: bytes) -> dict[str, Any]:
    """The error object of a JSON answer; empty for any other answer.

    Ollama's is a text; vLLM's used to be the answer itself.
    """
    try:
        answer = parse(body)
    except ProviderError:
        return {}
    error = answer.get("error", answer)
    return error if isinstance(error, dict) else {"message": error}
