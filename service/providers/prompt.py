"""A request to a model, independent of the provider."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

from service.json_encoding import encoder
from service.providers.tokens import bound

SYSTEM_TEXTS = 16  # that are cached with their numbers of tokens

_encode = encoder()


# `tokens` of a message is an upper bound without its calls' names. It is counted once, because a
# long conversation is measured several times in a turn.


@dataclass(frozen=True)
class UserMessage:
    """A message of the user.

    `aside` is sent with the text, but only while this is the newest message of the user. No later
    prompt has it, so a provider's cache must end before it.
    """

    text: str
    aside: str = ""

    @cached_property
    def tokens(self) -> int:
        return bound(self.text) + bound(self.aside)


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool call by the model: `id` is ours, `name` the tool's own, `input` a JSON object."""

    id: str
    name: str
    input: Mapping[str, Any]


@dataclass(frozen=True)
class AssistantMessage:
    text: str
    calls: tuple[ToolCall, ...] = ()

    @cached_property
    def tokens(self) -> int:
        return bound(self.text) + sum(bound(to_json(call.input)) for call in self.calls)


@dataclass(frozen=True, slots=True)
class Result:
    call_id: str
    content: str
    failed: bool = False


@dataclass(frozen=True)
class ToolResults:
    """The results of all calls of the assistant message before it."""

    results: tuple[Result, ...]

    @cached_property
    def tokens(self) -> int:
        return sum(bound(result.content) for result in self.results)


Message = UserMessage | AssistantMessage | ToolResults


@dataclass(frozen=True)
class ToolSpec:
    """A tool's declaration for a model; `schema` is a JSON Schema of an object."""

    name: str
    description: str
    schema: Mapping[str, Any]

    def __hash__(self) -> int:
        """Hash the name: each request looks its tools up, and names in a list are unique."""
        return hash(self.name)

    @cached_property
    def tokens(self) -> int:
        """An upper bound. It is counted once, because every prompt declares every tool."""
        return bound(to_json(self.schema) + self.name + self.description)


@dataclass(frozen=True, slots=True)
class Prompt:
    """The content of one request.

    If `calls_allowed` is false, the tools are declared, but must not be called. `user` is the
    user's pseudonym, sent to some providers only. `cacheable` is false if no later prompt will
    begin with the same text.
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
        """An upper bound, without tokens that the provider adds."""
        messages = sum([message.tokens for message in self.messages])
        names = sum(map(bound, self._called))
        tools = sum([tool.tokens for tool in self.tools])
        return messages + names + tools + _system_tokens(self.system)

    @property
    def tool_names(self) -> list[str]:
        """The names of the declared tools, then of the tools that the messages call."""
        return [tool.name for tool in self.tools] + self._called

    @property
    def _called(self) -> list[str]:
        answers = [one for one in self.messages if isinstance(one, AssistantMessage)]
        return [call.name for answer in answers for call in answer.calls]


@lru_cache(SYSTEM_TEXTS)
def _system_tokens(system: str) -> int:
    """Count once: the prompts of all users of a role begin with the same text."""
    return bound(system)


def to_json(value: Mapping[str, Any]) -> str:
    return _encode(dict(value))
