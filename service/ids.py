"""Public identifiers: a prefix that names the kind, and 128 random bits."""

import uuid
from typing import Literal

Kind = Literal["chat", "msg", "turn", "call", "hold", "entry", "lease", "rec", "job", "attempt"]


def new_id(kind: Kind) -> str:
    """For example `chat_3f0c…` (32 hexadecimal digits)."""
    return f"{kind}_{uuid.uuid4().hex}"
