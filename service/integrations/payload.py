"""What goes to a vendor and comes back, as bytes and texts."""

import json
import math
from collections.abc import Callable, Mapping
from datetime import UTC
from typing import Any

from marshmallow import fields, validate

from service.errors import InvalidRequest


class Bounded(validate.Length):
    """A length limit, then validators that see only texts within it.

    A list of validators runs them all, even on a megabyte that the first has refused.
    """

    def __init__(self, least: int, most: int, *then: Callable[[Any], Any]) -> None:
        super().__init__(least, most)
        self._then = then

    def __call__(self, value: Any) -> Any:
        super().__call__(value)
        for check in self._then:
            check(value)
        return value


class Moment(fields.AwareDateTime):
    """A moment with its zone, in ISO 8601; loaded as the text in UTC that every vendor takes."""

    default_error_messages = {"range": "Must be from 1970 to 2099."}

    def __init__(self, **facts: Any) -> None:
        super().__init__(format="iso", **facts)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        moment = super()._deserialize(value, attr, data, **kwargs)
        if not 1970 <= moment.year < 2100:  # beyond, a zone's hours may lead out of the calendar
            raise self.make_error("range")
        return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def plain(headers: Mapping[str, str]) -> bool:
    """Whether a body is as it is: we ask for `identity`, and a bomb is not even read."""
    return headers.get("Content-Encoding", "identity").strip().lower() in ("", "identity")


def query_value(value: Any) -> Any:
    return str(value).lower() if isinstance(value, bool) else value


def encoded(body: Any) -> tuple[bytes, str] | None:
    """Escaped, so that any text a client may send can be passed on; no body for None.

    Raises `InvalidRequest`.
    """
    if body is None:
        return None
    try:
        return json.dumps(body, allow_nan=False).encode(), "application/json"
    except (ValueError, RecursionError):
        raise InvalidRequest("The body can't be passed on as JSON.", details={}) from None


def parsed(body: bytes) -> Any:
    try:
        return json.loads(body, parse_float=_finite, parse_constant=_finite)
    except (ValueError, RecursionError):
        return None


def _finite(text: str) -> float:
    """Raises ValueError for what JSON can't say again: NaN, Infinity, 1e999."""
    if not math.isfinite(number := float(text)):
        raise ValueError("not a number of JSON")
    return number
