"""Marks for provider A's prompt cache.

The provider caches everything up to a mark for five minutes. The order is tools, system, messages,
so the mark on the system text also covers the tools. A mark finds a cache up to twenty blocks
before it, and a step can have forty. A request may have four marks.
Source: docs.anthropic.com, "Prompt caching".
"""

from collections.abc import Iterator
from typing import Any

from service.providers.prompt import Message, UserMessage

Block = dict[str, Any]

CACHED = {"cache_control": {"type": "ephemeral"}}


def mark(body: dict[str, Any], messages: tuple[Message, ...]) -> None:
    """Mark the blocks of a body that was made from these messages."""
    users = [message["content"] for message in body["messages"] if message["role"] == "user"]
    newest = next((m for m in reversed(messages) if isinstance(m, UserMessage)), None)
    ends = _ends_beside_aside(users) if newest and newest.aside else _newest_ends(users)
    for block in (body["system"][-1], *ends):
        block |= CACHED


def _newest_ends(users: list[list[Block]]) -> Iterator[Block]:
    """Yield the end of the newest message, and of the user message before it.

    The last request ended with the latter.
    """
    yield from (blocks[-1] for blocks in users[-2:])


def _ends_beside_aside(users: list[list[Block]]) -> Iterator[Block]:
    """Yield the question, without the aside after it, which the next turn's prompt leaves out.

    A turn's first request uses the cache that the last turn made at the previous question. Its
    later requests use the cache of the request before them, as in `_newest_ends`.
    """
    question, aside = _texts(users)[-2:]
    yield question
    if users[-1][-1] is aside:
        yield from _texts(users[:-1])[-1:]
    else:
        yield from (block for block in _newest_ends(users) if block is not aside)


def _texts(users: list[list[Block]]) -> list[Block]:
    return [block for blocks in users for block in blocks if block["type"] == "text"]
