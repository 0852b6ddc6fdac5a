"""What is asked of a model, in no provider's words."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from service.providers.tokens import bound


@dataclass(frozen=True, slots=True)
class UserMessage:
    text: str


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call the model made: `id` is ours, `name` the tool's own, `input` a JSON object."""

    id: str
    name: str
    input: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class AssistantMessage:
    text: str
    calls: tuple[Call, ...] = ()


@dataclass(frozen=True, slots=True)
class Result:
    call_id: str
    content: str
    failed: bool = False


@dataclass(frozen=True, slots=True)
class ToolResults:
    """The results of all calls of the assistant message before it."""

    results: tuple[Result, ...]


Message = UserMessage | AssistantMessage | ToolResults


@dataclass(frozen=True)
class ToolSpec:
    """A tool as the model is told of it; `schema` is a JSON Schema of an object."""

    name: str
    description: str
    schema: Mapping[str, Any]

    @cached_property
    def tokens(self) -> int:
        """The most that it should come to. Counted once: every prompt declares every tool."""
        schema = json.dumps(dict(self.schema), ensure_ascii=False, separators=(",", ":"))
        return bound(schema + self.name + self.description)


@dataclass(frozen=True, slots=True)
class Prompt:
    """One request: with `calls_allowed` false the tools are declared but must not be called.

    `user` is the user's pseudonym, sent to some providers only. With `cacheable` false no later
    prompt will begin like this one.
    """

    system: str
    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...] = field(default=())
    calls_allowed: bool = True
    max_output_tokens: int = 8192
    user: str | None = None
    cacheable: bool = True

    @property
    def tool_names(self) -> Iterator[str]:
        """The tools this declares, then those that its messages call."""
        yield from (tool.name for tool in self.tools)
        for message in self.messages:
            if isinstance(message, AssistantMessage):
                yield from (call.name for call in message.calls)
