"""Convert an endpoint's answer for a model: only whole characters, and no files.

A model can't read files as text. Vendors cut texts between the two UTF-16 units of a character.
"""

import re
from typing import Any

from service.storable import make_storable

BASE64_LIMIT = 2_000  # characters of base64 that are kept
ENCODED = re.compile(r"[A-Za-z0-9+/_-]+={0,2}")


def shape(value: Any) -> Any:
    """Return the value without long base64 texts and characters that can't be stored.

    A base64 text is replaced by its length, such a character by U+FFFD.
    """
    if isinstance(value, dict):
        return {make_storable(key): shape(item) for key, item in value.items()}
    if isinstance(value, list):
        return [shape(item) for item in value]
    if not isinstance(value, str):
        return value
    if len(value) > BASE64_LIMIT and ENCODED.fullmatch(value):
        return f"[{len(value) * 3 // 4} bytes of a file, left out here]"
    return make_storable(value)
