"""Marshmallow fields for requests: storable texts, strict numbers and booleans, zones, cursors."""

import base64
import re
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from marshmallow import Schema, ValidationError, fields, validate

from service.storable import STORABLE_RULE, is_storable
from service.web.errors import TooLarge

_WHOLE = re.compile(r"-?[0-9]{1,20}")
_NUMBER = re.compile(r"-?[0-9]{1,20}(\.[0-9]+)?([eE][+-]?[0-9]{1,3})?")
KEY = re.compile(r"[!-~]([ -~]{0,253}[!-~])?")  # an `Idempotency-Key`
KEY_RULE = "1 to 255 printable ASCII characters, without a space at either end."
KEY_SCHEMA = {"type": "string", "pattern": f"^{KEY.pattern}$"}
PAGE_ITEMS, MOST_ITEMS = 50, 200  # of a page: by default, and at most
# Files that some systems have beside the zones: the host's own zone, and copies of all zones.
NO_ZONES = ("localtime", "posixrules", "posix/", "right/")


class Text(fields.String):
    """A string that both databases can store and UTF-8 can encode."""

    default_error_messages = {"unstorable": STORABLE_RULE}

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        text = super()._deserialize(value, attr, data, **kwargs)
        if not is_storable(text):
            raise self.make_error("unstorable")
        return text


class TimeZone(Text):
    """The name of a zone in the IANA database."""

    default_error_messages = {"unknown": "Must be an IANA time zone, such as Europe/Berlin."}

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        name = super()._deserialize(value, attr, data, **kwargs)
        if not is_time_zone(name):
            raise self.make_error("unknown")
        return name


def is_time_zone(name: str) -> bool:
    """Return whether the IANA database has a zone of this name. Paths out of it are refused."""
    if name.startswith(NO_ZONES):
        return False
    try:
        return bool(ZoneInfo(name))
    except (ZoneInfoNotFoundError, ValueError, OSError):  # OSError for a folder, such as Europe
        return False


class Digits(fields.Integer):
    """An integer in a query string."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        if not isinstance(read_number(value), int):
            raise self.make_error("invalid", input=value)
        return super()._deserialize(value, attr, data, **kwargs)


def page_limit() -> Digits:
    """Return the field for the number of items in a page."""
    return Digits(load_default=PAGE_ITEMS, validate=validate.Range(1, MOST_ITEMS))


class JsonInteger(fields.Integer):
    """A whole number in JSON. As in JSON Schema, `5.0` is one; a text that contains one is not."""

    def __init__(self, **facts: Any) -> None:
        super().__init__(strict=True, **facts)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        return super()._deserialize(value, attr, data, **kwargs)


class JsonNumber(fields.Float):
    """A number in JSON. A text that contains one is refused."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        if isinstance(value, str):
            raise self.make_error("invalid", input=value)
        return super()._deserialize(value, attr, data, **kwargs)


class JsonBoolean(fields.Boolean):
    """True or false in JSON. A number or text that stands for one is refused."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        if not isinstance(value, bool):
            raise self.make_error("invalid", input=value)
        return value


class SeqCursor(fields.Field[int]):
    """A text made by `seq_cursor`, which is loaded as the number of a page's last row."""

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> int:
        try:
            seq = int(decode_opaque(value))
        except ValueError:
            seq = -1
        if not 0 < seq < 2**63:
            raise ValidationError("Not a valid cursor.")
        return seq


def seq_cursor(seq: int) -> str:
    """Return an opaque cursor to the rows after the row of this number."""
    return encode_opaque(str(seq))


def encode_opaque(text: str) -> str:
    """Return the text as a cursor for clients: URL-safe base64 without padding."""
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def decode_opaque(cursor: str) -> bytes:
    """Return the bytes of the text in a cursor. Raises ValueError if it is not base64."""
    return base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))


def read_number(text: str) -> int | float | None:
    """Return the number in a text of JSON's form, or None for any other text.

    `int` and `float` also accept `1_0`, ` 10`, `nan` and the digits of other scripts.
    """
    if not _NUMBER.fullmatch(text):
        return None
    return int(text) if _WHOLE.fullmatch(text) else float(text)


class PageQuery(Schema):
    """The query for a page of a list whose cursors are made by `seq_cursor`."""

    limit = page_limit()
    cursor = SeqCursor(load_default=None)


class AtMost(validate.Length):
    """A maximum length. A longer value is answered with `too_large` (413)."""

    def __init__(self, limit: int) -> None:
        super().__init__(max=limit)
        self._limit = limit

    def __call__(self, value: Any) -> Any:
        if len(value) > self._limit:
            raise TooLarge(f"At most {self._limit} characters are allowed.", limit=self._limit)
        return value
