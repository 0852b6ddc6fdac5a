"""JSON values in requests and answers: encoding, decoding, and unsafe content."""

import json
from collections.abc import Callable, Iterator
from functools import cached_property, partial
from typing import Any

from flask import Flask
from flask.json.provider import DefaultJSONProvider

from service import json_encoding
from service.fairness import WorkBudget
from service.json_encoding import encoder
from service.storable import is_storable
from service.web.json_depth import TooDeep, is_too_deep

# Characters of JSON. A character of a number takes 30 ns, any other a tenth of that.
encoding_budget = WorkBudget(64 << 10)
COMPACT: dict[str, Any] = {"separators": json_encoding.COMPACT}

_encode = encoder(allow_nan=False)


class Encoded:
    """A value in the form of its JSON text, which is put into an answer unchanged."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def value(self) -> Any:
        return json.loads(self.text)


class JsonProvider(DefaultJSONProvider):
    """Encode HTTP answers as `encode` does.

    The items of a list in an answer are encoded one at a time, and other greenlets may run between
    them. A member of an answer may be encoded already.
    """

    ensure_ascii = False
    sort_keys = False
    compact = True

    def __init__(self, app: Flask) -> None:
        super().__init__(app)
        self._encode = encoder(default=self.default)

    def dumps(self, obj: Any, **options: Any) -> str:
        """Encode a value. A text with lone surrogates, which an error may repeat, is escaped."""
        text = "".join(self._pieces(obj, options))
        try:
            text.encode()
        except UnicodeEncodeError:
            return super().dumps(obj, **{**options, "ensure_ascii": True})
        return text

    def encode_within(self, limit: int, obj: Any) -> str | None:
        """Return compact JSON text of at most `limit` characters, or None if there are more."""
        pieces, size = [], 0
        for piece in self._pieces(obj, COMPACT):
            pieces.append(piece)
            size += len(piece)
            if size > limit:
                return None
        return "".join(pieces)

    def _pieces(self, obj: Any, options: dict[str, Any]) -> Iterator[str]:
        """Yield the pieces of a value's JSON text."""
        encode = self._encode if options == COMPACT else partial(super().dumps, **options)
        if (
            options.get("indent")
            or not isinstance(obj, dict)
            or not any(map(_is_apart, obj.values()))
        ):
            yield encode(obj)
            return
        comma = "{"
        for key, value in obj.items():
            if isinstance(value, Encoded):
                yield f"{comma}{encode({key: 0})[1:-2]}{value.text}"
            else:
                yield comma
                yield from _pieces_of_member(key, value, encode)
            comma = ","
        yield "}"


def _pieces_of_member(key: Any, value: Any, encode: Callable[[Any], str]) -> Iterator[str]:
    if not _is_apart(value):
        yield encode({key: value})[1:-1]
        return
    comma = encode({key: []})[1:-2]
    for item in value:
        text = encode(item)
        yield comma + text
        encoding_budget.spend(len(text))
        comma = ","
    yield "]"


def _is_apart(value: Any) -> bool:
    return isinstance(value, Encoded) or (isinstance(value, list) and len(value) > 1)


def encode(value: Any) -> str:
    """Return compact JSON text, not escaped to ASCII.

    Raises TypeError, ValueError, RecursionError.
    """
    if isinstance(value, Encoded):
        return value.text
    return _encode(value)


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


_decode = json.JSONDecoder(parse_constant=_refuse_constant).decode


def decode(text: str) -> Any:
    """Return what `json.loads` returns, without NaN and Infinity. Raises ValueError, `TooDeep`."""
    try:
        value = _decode(text)
    except RecursionError:
        raise TooDeep from None
    if is_too_deep(value, text):
        raise TooDeep
    return value


def json_size(value: Any) -> int:
    """Return the size of a value's JSON in bytes. Other greenlets may run afterwards."""
    text = encode(value)
    size = len(text.encode())
    encoding_budget.spend(len(text))
    return size


def storable(value: Any) -> bool:
    """Return whether both databases can store every text in a value and UTF-8 can encode it."""
    return all(map(is_storable, _texts(value)))


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


def has_unsafe_keys(value: Any) -> bool:
    """Return whether the AI SDK's parser refuses the value, which would end a stream.

    It refuses the key `__proto__`, and a key `constructor` whose value has `prototype`.
    Source: secureJsonParse in the npm package @ai-sdk/provider-utils.
    """
    if isinstance(value, list | tuple):
        return any(has_unsafe_keys(item) for item in value)
    if not isinstance(value, dict):
        return False
    inner = value.get("constructor")
    is_refused = "__proto__" in value or (isinstance(inner, dict) and "prototype" in inner)
    return is_refused or any(has_unsafe_keys(item) for item in value.values())


def harmless(value: Any) -> Any:
    """Return a copy of the value without the keys that `has_unsafe_keys` finds."""
    if isinstance(value, list | tuple):
        return [harmless(item) for item in value]
    if not isinstance(value, dict):
        return value
    copy = {key: harmless(item) for key, item in value.items() if key != "__proto__"}
    if isinstance(inner := copy.get("constructor"), dict):
        inner.pop("prototype", None)
    return copy
