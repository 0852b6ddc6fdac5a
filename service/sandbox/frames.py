"""What both stand-in wires share: splitting text into tokens and JSON into server-sent events."""

import json
import re
from collections.abc import Iterator
from typing import Any

TOKEN = re.compile(r"\s*\S+|\s+")
SILENCE = b""  # a frame that stands for a long pause
PIECE = 9  # characters
ASIDE = re.compile(r"(\A|\n\n)\[Added by the app: [^\n]*\]\Z")


def tokens(text: str) -> list[str]:
    return TOKEN.findall(text)


def strip_context(text: str) -> str:
    """A user's text without what the app adds to the newest one."""
    return ASIDE.sub("", text)


def pieces(text: str) -> Iterator[str]:
    """The fragments in which a model sends the JSON of a call."""
    yield from (text[i : i + PIECE] for i in range(0, len(text), PIECE))


def frame(body: dict[str, Any], name: str | None = None, padded: bool = False) -> bytes:
    """One server-sent event."""
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
