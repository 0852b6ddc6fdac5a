"""Limit the size of a tool's result by cutting the ends of its longest texts."""

from typing import Any

from service.web.json_values import encode

RESULT_LIMIT = 200_000  # bytes of JSON; docs/contract.md, section 6.2
MARK = {"truncated": True}


def size(value: Any) -> int:
    """Return the bytes of the value's JSON.

    Raises TypeError, ValueError or RecursionError if it is not a JSON value.
    """
    return len(encode(value).encode())


def limit_size(value: Any) -> Any:
    """Return the value if it fits, else a shorter object with `truncated: true`."""
    if size(value) <= RESULT_LIMIT:
        return value
    for longest in (50_000, 10_000, 2_000, 500, 100):
        shorter = _shorten(value, longest)
        marked = {**shorter, **MARK} if isinstance(shorter, dict) else {"result": shorter, **MARK}
        if size(marked) <= RESULT_LIMIT:
            return marked
    return {"text": _start(encode(value), RESULT_LIMIT - 100), **MARK}


def _shorten(value: Any, longest: int) -> Any:
    if isinstance(value, str):
        return value if len(value) <= longest else value[:longest] + "…"
    if isinstance(value, list):
        return [_shorten(item, longest) for item in value]
    if isinstance(value, dict):
        return {key: _shorten(item, longest) for key, item in value.items()}
    return value


def _start(text: str, limit: int) -> str:
    """Return the beginning of a text that fits into `limit` bytes of JSON."""
    low, high = 0, min(len(text), limit)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if size(text[:middle]) <= limit else (low, middle - 1)
    return text[:low]
