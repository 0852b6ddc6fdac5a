"""JSON values as this service takes and gives them."""

import json
import re
from collections.abc import Iterator
from typing import Any

from flask.json.provider import DefaultJSONProvider

from service.fields import unstorable
from service.lifecycle import Share

encoded = Share(64 << 10)  # characters of JSON: numbers take 30 ns each, all else a tenth of that


class Provider(DefaultJSONProvider):
    """HTTP answers in the same text as every other door's: `encode`'s.

    The items of a list in an answer are encoded one by one, and others run in between.
    """

    ensure_ascii = False
    sort_keys = False
    compact = True

    def dumps(self, obj: Any, **options: Any) -> str:
        """Escaped where UTF-8 can't carry the text: an error may repeat a client's surrogates."""
        text = "".join(self._pieces(obj, options))
        try:
            text.encode()
        except UnicodeEncodeError:
            return super().dumps(obj, **{**options, "ensure_ascii": True})
        return text

    def _pieces(self, obj: Any, options: dict[str, Any]) -> Iterator[str]:
        """What joins to the text of a value."""
        if (
            options.get("indent")
            or not isinstance(obj, dict)
            or not any(map(_is_long, obj.values()))
        ):
            yield super().dumps(obj, **options)
            return
        comma = "{"
        for key, value in obj.items():
            yield comma
            yield from self._pieces_of_member(key, value, options)
            comma = ","
        yield "}"

    def _pieces_of_member(self, key: Any, value: Any, options: dict[str, Any]) -> Iterator[str]:
        if not _is_long(value):
            yield super().dumps({key: value}, **options)[1:-1]
            return
        comma = super().dumps({key: []}, **options)[1:-2]
        for item in value:
            text = super().dumps(item, **options)
            yield comma + text
            encoded.spend(len(text))
            comma = ","
        yield "]"


def _is_long(value: Any) -> bool:
    return isinstance(value, list) and len(value) > 1


def encode(value: Any) -> str:
    """Compact JSON text, not escaped beyond need. Raises TypeError, ValueError, RecursionError."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def measured(value: Any) -> int:
    """The bytes of its JSON. Others may run afterwards, as they do after a part of an answer."""
    text = encode(value)
    size = len(text.encode())
    encoded.spend(len(text))
    return size


# Levels of a value. Python's stack ends near a thousand, for writing and storing sooner than for
# parsing; the parsers of clients have limits of their own.
DEEPEST = 200

_MARKS = re.compile(r'[\\"{}\[\]]')


class Nesting:
    """How deep a JSON text is nested, while it arrives in pieces cut anywhere."""

    def __init__(self) -> None:
        self.passed = False  # the limit; never reset
        self._depth = 0
        self._in_string = False
        self._escaped = False  # the last piece ended in a backslash

    def feed(self, piece: str) -> bool:
        """Whether all that has come is within `DEEPEST`. Costs what the piece is long."""
        after_escape = 1 if self._escaped and piece else 0
        self._escaped = self._escaped and not piece
        for mark in _MARKS.finditer(piece, after_escape):
            if mark.start() >= after_escape:
                after_escape = self._take(piece, mark.start())
        return not self.passed

    def _take(self, piece: str, at: int) -> int:
        """Note the mark at this place; where the next one that counts may be."""
        match piece[at]:
            case '"':
                self._in_string = not self._in_string
            case "\\" if self._in_string:
                self._escaped = at + 1 == len(piece)
                return at + 2
            case "{" | "[" if not self._in_string:
                self._depth += 1
                self.passed |= self._depth > DEEPEST
            case "}" | "]" if not self._in_string:
                self._depth -= 1
        return at + 1


def storable(value: Any) -> bool:
    """Whether every text in a value is one that each database stores and UTF-8 carries."""
    return not any(unstorable(text) for text in _texts(value))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from _texts(item)


def poisoned(value: Any) -> bool:
    """Whether the AI SDK's parser refuses the value, and with it the rest of a stream.

    It refuses `__proto__` as a key, and `constructor` with `prototype` inside.
    Source: secureJsonParse in npm package @ai-sdk/provider-utils.
    """
    if isinstance(value, list | tuple):
        return any(poisoned(item) for item in value)
    if not isinstance(value, dict):
        return False
    inner = value.get("constructor")
    refused = "__proto__" in value or (isinstance(inner, dict) and "prototype" in inner)
    return refused or any(poisoned(item) for item in value.values())
