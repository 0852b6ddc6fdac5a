"""A request to a model, in no provider's words."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

from service.providers.tokens import bound

SYSTEM_TEXTS = 16  # that are kept with their tokens


@dataclass(frozen=True, slots=True)
class UserMessage:
    """`aside` is told with the text, and only while this is the newest message of the user: no
    later prompt has it, so that a provider's cache must end before it."""

    text: str
    aside: str = ""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool call the model made: `id` is ours, `name` the tool's own, `input` a JSON object."""

    id: str
    name: str
    input: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class AssistantMessage:
    text: str
    calls: tuple[ToolCall, ...] = ()


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
    """A tool's declaration for a model; `schema` is a JSON Schema of an object."""

    name: str
    description: str
    schema: Mapping[str, Any] = field(hash=False)  # a dict has no hash

    @cached_property
    def tokens(self) -> int:
        """An upper bound. Counted once, because every prompt declares every tool."""
        return bound(_json(self.schema) + self.name + self.description)


@dataclass(frozen=True, slots=True)
class Prompt:
    """The content of one request. With `calls_allowed` false the tools are declared, but must not
    be called. `user` is the user's pseudonym, sent to some providers only. `cacheable` is false if
    no later prompt will begin with the same text.
    """

    system: str
    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...] = field(default=())
    calls_allowed: bool = True
    max_output_tokens: int = 8192
    user: str | None = None
    cacheable: bool = True

    @property
    def tokens(self) -> int:
        """An upper bound, without what the provider adds."""
        texts = sum(map(bound, self._texts()))
        return texts + _system_tokens(self.system) + sum(tool.tokens for tool in self.tools)

    @property
    def tool_names(self) -> Iterator[str]:
        """The names of the declared tools, then those of the tools that its messages call."""
        yield from (tool.name for tool in self.tools)
        for message in self.messages:
            if isinstance(message, AssistantMessage):
                yield from (call.name for call in message.calls)

    def _texts(self) -> Iterator[str]:
        for message in self.messages:
            match message:
                case UserMessage(text, aside):
                    yield from (text, aside)
                case AssistantMessage(text, calls):
                    yield text
                    yield from (_json(call.input) + call.name for call in calls)
                case ToolResults(results):
                    yield from (result.content for result in results)


@lru_cache(SYSTEM_TEXTS)
def _system_tokens(system: str) -> int:
    """Counted once: the prompts of all users of a role begin with the same text."""
    return bound(system)


def _json(value: Mapping[str, Any]) -> str:
    return json.dumps(dict(value), ensure_ascii=False, separators=(",", ":"))
