"""The `messageMetadata` of a reply: why it ended, its steps, its usage and its compaction."""

from typing import Any

from service.providers.events import Usage


def usage_fields(usage: Usage, estimated: bool) -> dict[str, Any]:
    """Usage as clients see it. The names are the AI SDK's: `cachedInputTokens` of its version 5,
    `cacheWriteTokens` of version 6. Both are part of `inputTokens`, and absent when there are none,
    as `estimated` is when the provider reported the usage.
    """
    fields: dict[str, Any] = {"inputTokens": usage.input, "outputTokens": usage.output}
    if usage.cache_read:
        fields["cachedInputTokens"] = usage.cache_read
    if usage.cache_write:
        fields["cacheWriteTokens"] = usage.cache_write
    return {**fields, "estimated": True} if estimated else fields


def message_metadata(
    finish_reason: str, steps: int, usage: dict[str, Any], compaction: dict[str, Any]
) -> dict[str, Any]:
    """`compaction` is left out when it is empty."""
    metadata = {"finishReason": finish_reason, "steps": steps, "usage": usage}
    return {**metadata, "compaction": compaction} if compaction else metadata
