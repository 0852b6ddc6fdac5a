"""An endpoint's answer as a model reads it: in whole characters, and without files, which it can't
read as text. Vendors cut texts between the two UTF-16 units of a character.
"""

import re
from typing import Any

from service.storable import make_storable

LONGEST = 2_000  # characters of encoded bytes that stay
ENCODED = re.compile(r"[A-Za-z0-9+/_-]+={0,2}")


def shape(value: Any) -> Any:
    """The value, with long base64 texts replaced by how long they were, and what can't be stored
    by U+FFFD."""
    if isinstance(value, dict):
        return {make_storable(key): shape(item) for key, item in value.items()}
    if isinstance(value, list):
        return [shape(item) for item in value]
    if not isinstance(value, str):
        return value
    if len(value) > LONGEST and ENCODED.fullmatch(value):
        return f"[{len(value) * 3 // 4} bytes of a file, left out here]"
    return make_storable(value)
