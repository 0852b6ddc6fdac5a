"""Functions of both stand-in wires: split text into tokens, and make server-sent events."""

import json
import re
from collections.abc import Iterator
from typing import Any

TOKEN = re.compile(r"\s*\S+|\s+")
SILENCE = b""  # a frame that represents a long pause
PIECE = 9  # characters
ASIDE = re.compile(r"(\A|\n\n)\[Added by the app: [^\n]*\]\Z")


def tokens(text: str) -> list[str]:
    return TOKEN.findall(text)


def strip_context(text: str) -> str:
    """Return a user's text without the part that the app adds to the newest message."""
    return ASIDE.sub("", text)


def pieces(text: str) -> Iterator[str]:
    """Yield the fragments in which a model sends the JSON of a call."""
    yield from (text[i : i + PIECE] for i in range(0, len(text), PIECE))


def frame(body: dict[str, Any], name: str | None = None, padded: bool = False) -> bytes:
    """Return one server-sent event."""
    separators = (" , ", " : ") if padded else (",", ":")
    data = json.dumps(body, ensure_ascii=False, separators=separators)
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {data}{'   ' if padded else ''}\n\n".encode()


def tool_name(wire_name: str) -> str:
    return wire_name.replace("__", ".")


def wire_name(tool: str) -> str:
    return tool.replace(".", "__")


def estimate(text: str) -> int:
    return max(1, len(text) // 4)
