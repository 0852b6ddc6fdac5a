"""Usage as clients see it, of a running turn and of a stored turn."""

from typing import Any

from service.providers.events import Usage


def usage_fields(usage: Usage, estimated: bool) -> dict[str, Any]:
    """Return the usage by the AI SDK's names.

    `cachedInputTokens` is a name of its version 5, `cacheWriteTokens` of version 6. Both are part
    of `inputTokens`, and absent when they are 0. `estimated` is absent when the provider reported
    the usage.
    """
    fields: dict[str, Any] = {"inputTokens": usage.input, "outputTokens": usage.output}
    if usage.cache_read:
        fields["cachedInputTokens"] = usage.cache_read
    if usage.cache_write:
        fields["cacheWriteTokens"] = usage.cache_write
    return {**fields, "estimated": True} if estimated else fields


def turn_usage(usage: Usage, estimated: bool, summary: dict[str, Any] | None) -> dict[str, Any]:
    """Return a turn's usage, with the usage of a summary that it paid for."""
    fields = usage_fields(usage, estimated)
    return {**fields, "summary": summary} if summary else fields
