"""The `messageMetadata` of a reply: why it ended, its steps, its usage and its compaction."""

from typing import Any


def message_metadata(
    finish_reason: str, steps: int, usage: dict[str, Any], compaction: dict[str, Any]
) -> dict[str, Any]:
    """`compaction` is left out when it is empty."""
    metadata = {"finishReason": finish_reason, "steps": steps, "usage": usage}
    return {**metadata, "compaction": compaction} if compaction else metadata
