"""Encode and parse the payloads of requests to vendors and of their answers."""

import json
import math
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from urllib3.filepost import encode_multipart_formdata

from service.fairness import WorkBudget
from service.storable import is_header_text
from service.web.errors import InvalidRequest

LARGE_BYTES = 64 << 10  # bytes; a smaller body takes at most some milliseconds
_parsing = WorkBudget(1000)  # objects and numbers, which take a millisecond or two


def plain(headers: Mapping[str, str]) -> bool:
    """Return whether a body is not compressed. We ask for `identity`, and read nothing else."""
    return headers.get("Content-Encoding", "identity").strip().lower() in ("", "identity")


def header_text(name: str, text: str) -> None:
    """Raise `InvalidRequest` for the parameter `name` if no header can carry its text."""
    if text and not is_header_text(text):
        raise InvalidRequest(details={name: ["Not allowed here."]})


def query_value(value: Any) -> Any:
    """Return a value in the form for a query or a form: true and false as words."""
    return str(value).lower() if isinstance(value, bool) else value


def encode(body: Any) -> tuple[bytes, str]:
    """Encode as escaped JSON, which can carry any text of a client. Raises `InvalidRequest`."""
    try:
        return json.dumps(body, allow_nan=False).encode(), "application/json"
    except (ValueError, RecursionError):
        raise InvalidRequest("The body can't be passed on as JSON.", details={}) from None


def content_of(parts: Mapping[str, Any]) -> tuple[bytes, str] | None:
    """Return the body of a request and its media type, by its parts.

    Raises `InvalidRequest` if it can't be JSON.
    """
    if "bytes" in parts:
        raw = parts["bytes"]
        return raw if isinstance(raw, tuple) else (raw, "application/octet-stream")
    form = {name: query_value(value) for name, value in parts["form"].items()}
    if parts["file"]:
        texts = {name: str(value) for name, value in form.items()}
        return encode_multipart_formdata({**texts, **parts["file"]})
    if form:
        return urlencode(form, doseq=True).encode(), "application/x-www-form-urlencoded"
    return None if parts["json"] is None else encode(parts["json"])


def parse(body: bytes) -> Any:
    """Return the value of a JSON text, or None if it can't be parsed.

    While a large text is parsed, other greenlets run after objects and numbers. The parser has no
    hooks for lists and texts, but no vendor sends megabytes of them without an object or a number.
    """
    try:
        if len(body) <= LARGE_BYTES:
            return json.loads(body, parse_float=_finite, parse_constant=_finite)
        return json.loads(
            body,
            parse_int=_whole,
            parse_float=_fraction,
            parse_constant=_finite,
            object_hook=_let_others_run,
        )
    except (ValueError, RecursionError):
        return None


def _let_others_run(item: Any) -> Any:
    _parsing.spend(1)
    return item


def _whole(text: str) -> int:
    """Parse an integer. Raises ValueError for thousands of digits, as the parser itself does."""
    _parsing.spend(1)
    return int(text)


def _fraction(text: str) -> float:
    _parsing.spend(1)
    return _finite(text)


def _finite(text: str) -> float:
    """Parse a number. Raises ValueError for one that JSON can't express: NaN, Infinity, 1e999."""
    if not math.isfinite(number := float(text)):
        raise ValueError("not a number of JSON")
    return number
