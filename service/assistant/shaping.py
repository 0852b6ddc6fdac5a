"""An endpoint's answer as a model reads it: without files, which it can't read as text."""

import re
from typing import Any

LONGEST = 2_000  # characters of encoded bytes that stay
ENCODED = re.compile(r"[A-Za-z0-9+/_-]+={0,2}")


def shaped(value: Any) -> Any:
    """The value, with long base64 texts replaced by how long they were."""
    if isinstance(value, dict):
        return {key: shaped(item) for key, item in value.items()}
    if isinstance(value, list):
        return [shaped(item) for item in value]
    if isinstance(value, str) and len(value) > LONGEST and ENCODED.fullmatch(value):
        return f"[{len(value) * 3 // 4} bytes of a file, left out here]"
    return value
