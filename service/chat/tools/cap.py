"""A tool's result that is too large loses the ends of its longest texts, and says so."""

from typing import Any

from service.json_values import encode

RESULT_LIMIT = 200_000  # bytes of JSON; contract section 6
MARK = {"truncated": True}


def size(value: Any) -> int:
    """Bytes of its JSON. Raises TypeError, ValueError or RecursionError for no JSON value."""
    return len(encode(value).encode())


def capped(value: Any) -> Any:
    """The value if it fits; otherwise an object with `truncated: true` that does."""
    if size(value) <= RESULT_LIMIT:
        return value
    for longest in (50_000, 10_000, 2_000, 500, 100):
        cut = _cut(value, longest)
        whole = {**cut, **MARK} if isinstance(cut, dict) else {"result": cut, **MARK}
        if size(whole) <= RESULT_LIMIT:
            return whole
    return {"text": _start(encode(value), RESULT_LIMIT - 100), **MARK}


def _cut(value: Any, longest: int) -> Any:
    if isinstance(value, str):
        return value if len(value) <= longest else value[:longest] + "…"
    if isinstance(value, list):
        return [_cut(item, longest) for item in value]
    if isinstance(value, dict):
        return {key: _cut(item, longest) for key, item in value.items()}
    return value


def _start(text: str, limit: int) -> str:
    """As much of a text as fits into `limit` bytes once it stands quoted in JSON."""
    low, high = 0, min(len(text), limit)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if size(text[:middle]) <= limit else (low, middle - 1)
    return text[:low]
