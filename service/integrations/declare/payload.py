"""What goes to a vendor and comes back, as bytes and texts."""

import json
import math
from collections.abc import Mapping
from typing import Any

from service.fairness import WorkBudget
from service.storable import is_header_text
from service.web.errors import InvalidRequest

LARGE = 64 << 10  # bytes; what is smaller takes at most some milliseconds
_parsing = WorkBudget(1000)  # objects and numbers, which take a millisecond or two


def plain(headers: Mapping[str, str]) -> bool:
    """Whether a body is as it is: we ask for `identity`, and a bomb is not even read."""
    return headers.get("Content-Encoding", "identity").strip().lower() in ("", "identity")


def header_text(name: str, text: str) -> None:
    """Raises `InvalidRequest` for what no header can carry; `name` is whose fault it is."""
    if text and not is_header_text(text):
        raise InvalidRequest(details={name: ["Not allowed here."]})


def query_value(value: Any) -> Any:
    """A value as it stands in a query or a form."""
    return str(value).lower() if isinstance(value, bool) else value


def encode(body: Any) -> tuple[bytes, str]:
    """Escaped, so that any text a client may send can be passed on. Raises `InvalidRequest`."""
    try:
        return json.dumps(body, allow_nan=False).encode(), "application/json"
    except (ValueError, RecursionError):
        raise InvalidRequest("The body can't be passed on as JSON.", details={}) from None


def parse(body: bytes) -> Any:
    """The value of a JSON text; None if it can't be read.

    While a large one is parsed, other greenlets run behind objects and numbers. The parser calls
    nobody for lists and texts. No vendor has megabytes of them without an object or a number.
    """
    try:
        if len(body) <= LARGE:
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
    """Raises ValueError for thousands of digits, as the parser itself does."""
    _parsing.spend(1)
    return int(text)


def _fraction(text: str) -> float:
    _parsing.spend(1)
    return _finite(text)


def _finite(text: str) -> float:
    """Raises ValueError for what JSON can't say again: NaN, Infinity, 1e999."""
    if not math.isfinite(number := float(text)):
        raise ValueError("not a number of JSON")
    return number
