"""JSON values as this service takes and gives them."""

import json
from collections.abc import Iterator
from typing import Any

from flask.json.provider import DefaultJSONProvider

from service.edge import unstorable


class Provider(DefaultJSONProvider):
    """HTTP answers in the same text as every other door's: `encode`'s."""

    ensure_ascii = False
    sort_keys = False
    compact = True

    def dumps(self, obj: Any, **options: Any) -> str:
        """Escaped where UTF-8 can't carry the text: an error may repeat a client's surrogates."""
        text = super().dumps(obj, **options)
        return super().dumps(obj, **{**options, "ensure_ascii": True}) if unstorable(text) else text


def encode(value: Any) -> str:
    """Compact JSON text, not escaped beyond need. Raises TypeError, ValueError, RecursionError."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


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
