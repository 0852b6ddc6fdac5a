"""The depth of nested JSON, which is limited."""

import re
from collections.abc import Iterable
from typing import Any

# Levels of a value. Python's parser accepts a thousand or ten thousand of them, depending on its
# version, and the parsers of clients have their own limits.
MAX_DEPTH = 200

_MARKS = re.compile(r'[\\"{}\[\]]')


class TooDeep(ValueError):
    """JSON of more than `MAX_DEPTH` levels."""


def is_too_deep(value: Any, text: str) -> bool:
    """Return whether a value, whose JSON is `text`, has too many levels. Takes linear time."""
    if text.count("{") + text.count("[") <= MAX_DEPTH:
        return False
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [inner for each in level for inner in _inside(each)]
    return any(isinstance(each, dict | list | tuple) for each in level)


def _inside(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list | tuple) else ()


class Nesting:
    """The depth of a JSON text that arrives in pieces."""

    def __init__(self) -> None:
        self.is_too_deep = False  # never reset
        self._depth = 0
        self._in_string = False
        self._escaped = False  # the last piece ended in a backslash

    def feed(self, piece: str) -> bool:
        """Add a piece and return whether the text is within `MAX_DEPTH`. Takes linear time."""
        after_escape = 1 if self._escaped and piece else 0
        self._escaped = self._escaped and not piece
        for mark in _MARKS.finditer(piece, after_escape):
            if mark.start() >= after_escape:
                after_escape = self._add_mark(piece, mark.start())
        return not self.is_too_deep

    def _add_mark(self, piece: str, at: int) -> int:
        """Add the mark at this place and return where the next one may be."""
        match piece[at]:
            case '"':
                self._in_string = not self._in_string
            case "\\" if self._in_string:
                self._escaped = at + 1 == len(piece)
                return at + 2
            case "{" | "[" if not self._in_string:
                self._depth += 1
                self.is_too_deep |= self._depth > MAX_DEPTH
            case "}" | "]" if not self._in_string:
                self._depth -= 1
        return at + 1
