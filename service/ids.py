"""Public identifiers: a prefix for the kind, and 128 random bits."""

import uuid
from typing import Literal

Kind = Literal[
    "chat",
    "msg",
    "turn",
    "call",
    "hold",
    "entry",
    "lease",
    "rec",
    "job",
    "attempt",
    "media",
    "mcp",
]


def new_id(kind: Kind) -> str:
    """Return an id such as `chat_3f0c…`, with 32 hexadecimal digits."""
    return f"{kind}_{uuid.uuid4().hex}"
