"""A model of provider A's prompt cache by its documentation, to count what requests would cost.

A prompt is tools, system text, then the blocks of its messages. Each mark (`cache_control`) looks
for the longest kept beginning among the twenty blocks that end at it; what is behind that, up to
the last mark, is kept. Kept messages count only under the same `tool_choice`. Shorter beginnings
than 1024 tokens are not kept. Source: Anthropic, "Prompt caching", its table of what invalidates.
"""

import json
from dataclasses import dataclass, field
from typing import Any

LOOKED_BACK = 20
LEAST = 1024  # tokens, of the default model
CHARACTERS = 4  # a token, roughly; good enough to compare


@dataclass(frozen=True)
class Counted:
    """Tokens of one request."""

    fresh: int
    read: int
    written: int

    @property
    def usage(self) -> dict[str, int]:
        return {
            "input_tokens": self.fresh,
            "cache_read_input_tokens": self.read,
            "cache_creation_input_tokens": self.written,
        }

    @property
    def total(self) -> int:
        return self.fresh + self.read + self.written


@dataclass
class Cache:
    kept: set[str] = field(default_factory=set)

    def count(self, body: dict[str, Any]) -> Counted:
        """Take a request: what of it is read, written and neither. Then all of it is kept."""
        blocks = list(_blocks(body))
        ends, marks, beginning, tokens = [], [], "", 0
        for text, marked in blocks:
            beginning += text
            tokens += len(text) // CHARACTERS
            ends.append((beginning, tokens))
            marks += [len(ends) - 1] if marked and tokens >= LEAST else []
        found = [self._newest(ends, mark) for mark in marks]
        read = max(found, default=0)
        written = ends[marks[-1]][1] - read if marks else 0
        self.kept |= {ends[mark][0] for mark in marks}
        return Counted(ends[-1][1] - read - written, read, written)

    def _newest(self, ends: list[tuple[str, int]], mark: int) -> int:
        """Tokens of the longest kept beginning that the mark sees."""
        seen = reversed(ends[max(0, mark - LOOKED_BACK + 1) : mark + 1])
        return next((tokens for beginning, tokens in seen if beginning in self.kept), 0)


def _blocks(body: dict[str, Any]) -> Any:
    yield json.dumps(body.get("tools")), False
    for number, block in enumerate(body["system"]):
        yield _text("system", number, block), "cache_control" in block
    choice = json.dumps(body.get("tool_choice"))
    for message in body["messages"]:
        for block in message["content"]:
            text = _text(message["role"], 0, block)
            yield choice + text, "cache_control" in block


def _text(role: str, number: int, block: dict[str, Any]) -> str:
    bare = {name: value for name, value in block.items() if name != "cache_control"}
    return json.dumps([role, number, bare])
