"""Tool names on the wire: providers allow no dots and at most 64 characters.

The name table of a request has the tools that it declares and the calls in its history. Most
requests have the same names, and share a table. A name in the answer is looked up in the table,
never parsed.
"""

import hashlib
import re
from collections.abc import Iterable
from functools import lru_cache

from service.storable import make_storable

NAME_LIMIT = 64
_FORBIDDEN = re.compile(r"[^a-zA-Z0-9_-]")


class NameTable:
    """Translates between the tools' own names and their names on the wire."""

    def __init__(self, names: Iterable[str]) -> None:
        self._to_wire: dict[str, str] = {}
        self._from_wire: dict[str, str] = {}
        for name in names:
            if name not in self._to_wire:
                self._add(name)

    def to_wire(self, name: str) -> str:
        return self._to_wire[name]

    def from_wire(self, received: str) -> str:
        """Return the tool's own name, or an unknown name as it was received."""
        # gpt-oss writes `functions.x`, and may append channel tokens to the name.
        name = received.removeprefix("functions.").partition("<|")[0].strip()
        return self._from_wire.get(name) or make_storable(name) or "unknown"

    def _add(self, name: str) -> None:
        wire = _FORBIDDEN.sub("_", name.replace(".", "__")) or "unknown"
        if len(wire) > NAME_LIMIT or wire in self._from_wire:
            wire = (
                f"{wire[:55]}_{hashlib.sha1(name.encode(), usedforsecurity=False).hexdigest()[:8]}"
            )
        self._to_wire[name] = wire
        self._from_wire[wire] = name


@lru_cache(maxsize=64)
def name_table(names: tuple[str, ...]) -> NameTable:
    return NameTable(names)
