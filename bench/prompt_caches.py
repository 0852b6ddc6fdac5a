"""Stand-ins for the providers' prompt caches: which tokens of a request would be billed as cached.

Tokens are estimated as the service estimates them, and not counted by any tokenizer. Every request
is assumed to come before the cache of the one before it has expired.
Sources: docs.anthropic.com and platform.openai.com, "Prompt caching".
"""

import json
from collections.abc import Iterator
from typing import Any

from service.providers.events import Usage
from service.providers.tokens import bound, likely

LEAST = 1024  # tokens: no shorter beginning is cached
BLOCK = 128  # tokens: B and C cache beginnings of a multiple of it
LOOKED_BACK = 20  # blocks before a mark where A looks for a cache
ASIDE = "\n\n[Added by the app:"

Piece = tuple[str, bool]  # a text, and whether A is asked to cache everything up to its end


class PromptCache:
    """What one provider has cached of the requests so far."""

    def __init__(self) -> None:
        self._kept: set[int] = set()  # hashes of beginnings

    def count(self, body: dict[str, Any]) -> Usage:
        """The input of a request as it would be billed. Then it is cached."""
        has_marks = "system" in body
        ends, tokens, beginning = [], 0, 0
        for text, is_marked in _pieces_of_a(body) if has_marks else _pieces(body):
            beginning, tokens = hash((beginning, text)), tokens + likely(bound(text))
            ends.append((beginning, tokens, is_marked and tokens >= LEAST))
        return self._marked(ends) if has_marks else self._longest(ends)

    def _marked(self, ends: list[tuple[int, int, bool]]) -> Usage:
        marks = [number for number, end in enumerate(ends) if end[2]]
        seen = [ends[max(0, mark - LOOKED_BACK + 1) : mark + 1] for mark in marks]
        read = max((t for few in seen for kept, t, _ in few if kept in self._kept), default=0)
        self._kept.update(ends[mark][0] for mark in marks)
        return Usage(ends[-1][1], 0, read, ends[marks[-1]][1] - read if marks else 0)

    def _longest(self, ends: list[tuple[int, int, bool]]) -> Usage:
        read = max((tokens for kept, tokens, _ in ends if kept in self._kept), default=0)
        self._kept.update(kept for kept, _, _ in ends)
        return Usage(ends[-1][1], 0, read // BLOCK * BLOCK if read >= LEAST else 0)


def _pieces_of_a(body: dict[str, Any]) -> Iterator[Piece]:
    """Messages are cached under their `tool_choice`."""
    yield _text(body.get("tools")), False
    choice = body.get("tool_choice")
    for block in body["system"]:
        yield _text(block["text"]), "cache_control" in block
    for message in body["messages"]:
        for block in message["content"]:
            bare = {name: value for name, value in block.items() if name != "cache_control"}
            yield _text([message["role"], choice, bare]), "cache_control" in block


def _pieces(body: dict[str, Any]) -> Iterator[Piece]:
    yield _text(body.get("tools")), False
    for message in body["messages"]:
        first, found, aside = _text(message).partition(json.dumps(ASIDE)[1:-1])
        yield first.removesuffix('"}'), False
        if found:
            yield found + aside, False


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
