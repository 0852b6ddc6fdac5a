"""The Anthropic Messages API (provider A). Source: docs.anthropic.com, "Streaming Messages"."""

from collections.abc import Iterator, Sequence
from typing import Any

from service.providers.calls import finish_call
from service.providers.events import (
    CallFragment,
    CallStarted,
    Event,
    Fault,
    FinishedCall,
    FinishReason,
    Progress,
    ProviderError,
    StepFinished,
    TextFragment,
    TextStarted,
)
from service.providers.halves import Halves
from service.providers.names import NameTable, name_table
from service.providers.prompt import (
    AssistantMessage,
    Message,
    Prompt,
    ToolResults,
    ToolSpec,
    UserMessage,
)
from service.providers.provider import Provider, WireRequest
from service.providers.sse import ServerSentEvent
from service.providers.wires import cache_marks
from service.providers.wires.answers import (
    dump,
    error_in,
    fault_in_stream,
    object_in,
    parse_event,
    refusal_of,
)
from service.providers.wires.anthropic_usage import ReportedUsage
from service.providers.wires.tool_lists import dump_with_tools
from service.storable import is_storable

VERSION = "2023-06-01"

REASONS: dict[str, FinishReason] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "tool_use": "tool-calls",
    "refusal": "content-filter",
    "pause_turn": "pause",
}

FAULTS: dict[str, Fault] = {
    "overloaded_error": "busy",
    "rate_limit_error": "busy",
    "timeout_error": "down",
    "api_error": "down",
    "authentication_error": "refused-key",
    "permission_error": "refused-key",
    "billing_error": "refused-key",
    "invalid_request_error": "refused-request",
    "not_found_error": "unknown-model",
}


class AnthropicMessages:
    def request(self, provider: Provider, upstream_name: str, prompt: Prompt) -> WireRequest:
        names = name_table(tuple(prompt.tool_names))
        body: dict[str, Any] = {
            "model": upstream_name,
            "max_tokens": prompt.max_output_tokens,
            "stream": True,
            "system": [{"type": "text", "text": prompt.system}],
            "messages": _messages(prompt.messages, names),
        }
        if prompt.cacheable:
            cache_marks.mark(body, prompt.messages)
        if provider.receives_user and prompt.user:
            body["metadata"] = {"user_id": prompt.user}
        if prompt.tools:
            body["tool_choice"] = {"type": "auto" if prompt.calls_allowed else "none"}
        headers = {"content-type": "application/json", "anthropic-version": VERSION}
        if provider.api_key:
            headers["x-api-key"] = provider.api_key
        raw = dump_with_tools(body, prompt.tools, names, _declare)
        return WireRequest("/v1/messages", headers, raw, names)

    def decoder(self, names: NameTable) -> "MessageDecoder":
        return MessageDecoder(names)

    def refusal(self, status: int, body: bytes, names: NameTable) -> Event:
        raise ProviderError(refusal_of(status, error_in(body)))


WIRE = AnthropicMessages()


def _declare(name: str, tool: ToolSpec) -> dict[str, Any]:
    return {"name": name, "description": tool.description, "input_schema": dict(tool.schema)}


def _messages(messages: Sequence[Message], names: NameTable) -> list[dict[str, Any]]:
    """Merge neighbours of one role, because roles must alternate; tool results come first."""
    merged: list[dict[str, Any]] = []
    for message in messages:
        role = "assistant" if isinstance(message, AssistantMessage) else "user"
        blocks = _blocks(message, names)
        if merged and merged[-1]["role"] == role:
            merged[-1]["content"] += blocks
        elif blocks:
            merged.append({"role": role, "content": blocks})
    return merged


def _blocks(message: Message, names: NameTable) -> list[dict[str, Any]]:
    match message:
        case UserMessage(text, aside):
            return [{"type": "text", "text": each} for each in (text, aside) if each]
        case AssistantMessage(text, calls):
            # Blank text is refused, and would be refused again in every later turn of the chat.
            blocks: list[dict[str, Any]] = [{"type": "text", "text": text}] if text.strip() else []
            for call in calls:
                use = {"id": call.id, "name": names.to_wire(call.name), "input": call.input}
                blocks.append({"type": "tool_use", **use})
            return blocks
        case ToolResults(results):
            return [
                {
                    "type": "tool_result",
                    "tool_use_id": result.call_id,
                    "content": result.content,
                    "is_error": result.failed,
                }
                for result in results
            ]


class MessageDecoder:
    def __init__(self, names: NameTable) -> None:
        self.finished = False
        self._names = names
        self._next_key = 0
        self._begin()

    def _begin(self) -> None:
        """Clear the state. A second `message_start` replaces the message and its calls so far."""
        self._usage = ReportedUsage()
        self._reason: FinishReason = "other"
        self._text = Halves()
        self._calls: dict[int, tuple[int, str, list[str], Halves]] = {}  # by block

    def feed(self, event: ServerSentEvent) -> Iterator[Event]:
        data = parse_event(event.data)
        match data.get("type"):
            case "message_start":
                self._begin()
                yield from self._open(data["message"])
            case "content_block_start":
                yield from self._start(data["index"], data["content_block"])
            case "content_block_delta":
                yield from self._delta(data["index"], data["delta"])
            case "message_delta":
                self._stop(data["delta"].get("stop_reason"))
                self._usage.add(data.get("usage"), is_last=True)
            case "message_stop":
                self.finished = True
                yield StepFinished(self._reason, self._usage.total(), self._finished_calls())
            case "error":
                error = data["error"]
                raise ProviderError(fault_in_stream(error, FAULTS.get(error.get("type"), "failed")))
            # Other events, such as ping, content_block_stop and new ones, are not needed.

    def text(self, data: bytes) -> str | None:
        event = object_in(data)
        delta = event.get("delta")
        if event.get("type") != "content_block_delta" or "index" not in event:
            return None
        if not isinstance(delta, dict) or delta.get("type") != "text_delta":
            return None
        text = delta.get("text")
        return text if isinstance(text, str) and is_storable(text) else None

    @property
    def has_half(self) -> bool:
        return bool(self._text.pending)

    def end(self) -> Iterator[Event]:
        raise ProviderError("cut")

    def _open(self, message: dict[str, Any]) -> Iterator[Event]:
        """Read `message_start`, which may have whole blocks without an index."""
        self._usage.add(message.get("usage"), is_last=bool(message.get("stop_reason")))
        if prompt := self._usage.prompt():
            yield prompt
        for number, block in enumerate(message.get("content") or (), 1):
            yield from self._start(-number, block)  # no other block has this number
        self._stop(message.get("stop_reason"))

    def _stop(self, reason: str | None) -> None:
        """Store a stop reason. A null changes nothing: `message_start` may have had the reason."""
        if reason:
            self._reason = REASONS.get(reason, "other")

    def _start(self, index: int, block: dict[str, Any]) -> Iterator[Event]:
        match block.get("type"):
            case "text":
                yield TextStarted()
                self._text = Halves()
                if text := self._text.join(block.get("text") or ""):
                    yield TextFragment(text)
            case "tool_use":
                key, name = self._next_key, self._names.from_wire(block["name"])
                self._next_key += 1
                fragments = [dump(block["input"]).decode()] if block.get("input") else []
                self._calls[index] = (key, name, fragments, Halves())
                yield CallStarted(key, name)
                yield from (CallFragment(key, fragment) for fragment in fragments)

    def _delta(self, index: int, delta: dict[str, Any]) -> Iterator[Event]:
        match delta.get("type"):
            case "text_delta":
                if text := self._text.join(delta["text"] or ""):
                    yield TextFragment(text)
            case "input_json_delta" if index in self._calls:
                key, _, fragments, halves = self._calls[index]
                fragments.append(halves.join(delta["partial_json"]))
                if fragments[-1]:
                    yield CallFragment(key, fragments[-1])
            case "thinking_delta":
                yield Progress()

    def _finished_calls(self) -> tuple[FinishedCall, ...]:
        return tuple(
            finish_call(key, name, "".join(fragments), self._reason)
            for key, name, fragments, _ in self._calls.values()
        )
