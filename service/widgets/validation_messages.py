"""Flatten nested messages of marshmallow."""

from collections.abc import Iterator, Mapping
from typing import Any


def flat_messages(messages: Mapping[Any, Any], at: str = "") -> Iterator[tuple[str, str]]:
    """Yield each message with its path, such as `slots.0.type`. Indexes count from 0."""
    for key, value in messages.items():
        # A list or a dictionary has messages about itself under this key.
        path = at if key == "_schema" else f"{at}.{key}" if at else str(key)
        if isinstance(value, Mapping):
            yield from flat_messages(value, path)
        else:
            yield path, " ".join(value)
