"""Marshmallow fields for requests: storable texts, strict numbers, length limits."""

import re
from typing import Any

from marshmallow import fields, validate

from service.errors import TooLarge

_WHOLE = re.compile(r"-?[0-9]{1,20}")
_NUMBER = re.compile(r"-?[0-9]{1,20}(\.[0-9]+)?([eE][+-]?[0-9]{1,3})?")
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def unstorable(text: str) -> bool:
    """Whether a text has characters that PostgreSQL (NUL) or UTF-8 (lone surrogates) refuses."""
    return _UNSTORABLE.search(text) is not None


class Text(fields.String):
    """A string that every database stores and every UTF-8 stream carries."""

    default_error_messages = {"unstorable": "Must not contain NUL or unpaired surrogates."}

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        text = super()._deserialize(value, attr, data, **kwargs)
        if unstorable(text):
            raise self.make_error("unstorable")
        return text


class Digits(fields.Integer):
    """A whole number in a query string."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        if not isinstance(read_number(value), int):
            raise self.make_error("invalid", input=value)
        return super()._deserialize(value, attr, data, **kwargs)


class Number(fields.Float):
    """A number, or a text that is one in JSON."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        if isinstance(value, str) and read_number(value) is None:
            raise self.make_error("invalid", input=value)
        return super()._deserialize(value, attr, data, **kwargs)


def read_number(text: str) -> int | float | None:
    """A number in JSON's form, None for any other text. `int` and `float` would also read `1_0`,
    ` 10`, `nan` and the digits of other alphabets."""
    if not _NUMBER.fullmatch(text):
        return None
    return int(text) if _WHOLE.fullmatch(text) else float(text)


class AtMost(validate.Length):
    """A length limit whose breach is `too_large` (413), not `invalid_request`."""

    def __init__(self, limit: int) -> None:
        super().__init__(max=limit)

    def __call__(self, value: Any) -> Any:
        if len(value) > self.max:
            raise TooLarge(f"At most {self.max} characters are accepted.", limit=self.max)
        return value
