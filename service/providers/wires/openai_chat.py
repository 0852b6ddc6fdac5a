"""The OpenAI chat completions API, as OpenAI (provider B) and compatible hosts (C) use it.

Source: platform.openai.com/docs/api-reference/chat-streaming. Comments name the hosts that deviate.
"""

import json
from collections.abc import Iterator
from typing import Any

from service.providers.calls import CallCollector
from service.providers.events import (
    Event,
    Fault,
    FinishedCall,
    FinishReason,
    Progress,
    ProviderError,
    StepFinished,
    TextFragment,
    Usage,
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
from service.providers.wires.answers import (
    count,
    dump,
    error_in,
    fault_in_stream,
    object_in,
    parse_event,
    refusal_of,
)
from service.providers.wires.tool_lists import dump_with_tools
from service.storable import is_storable, make_storable

FAULT_WORDS: dict[str, Fault] = {  # in an error inside a stream
    "rate_limit": "busy",
    "overloaded": "busy",
    "over capacity": "busy",
    "server_error": "down",
    "unavailable": "down",
    "timeout": "down",
}
NOT_TEXT = ("refusal", "reasoning", "reasoning_content", "tool_calls")  # in a delta
REASONS: dict[str, FinishReason] = {
    "stop": "stop",
    "length": "length",
    "tool_calls": "tool-calls",
    "function_call": "tool-calls",
    "content_filter": "content-filter",
}


class OpenAIChat:
    def request(self, provider: Provider, upstream_name: str, prompt: Prompt) -> WireRequest:
        names = name_table(tuple(prompt.tool_names))
        system = {"role": "system", "content": prompt.system}
        turns = (entry for message in prompt.messages for entry in _entries(message, names))
        body: dict[str, Any] = {
            "model": upstream_name,
            "stream": True,
            "stream_options": {"include_usage": True},
            provider.output_cap: prompt.max_output_tokens,
            "messages": [system, *turns],
        }
        if provider.receives_user and prompt.user:
            body["safety_identifier"] = prompt.user
        if prompt.tools:
            body["tool_choice"] = "auto" if prompt.calls_allowed else "none"
            if provider.reasoning_effort:
                body["reasoning_effort"] = provider.reasoning_effort
        headers = {"content-type": "application/json"}
        if provider.api_key:
            headers["authorization"] = f"Bearer {provider.api_key}"
        raw = dump_with_tools(body, prompt.tools, names, _declare)
        return WireRequest("/chat/completions", headers, raw, names)

    def decoder(self, names: NameTable) -> "ChunkDecoder":
        return ChunkDecoder(names)

    def refusal(self, status: int, body: bytes, names: NameTable) -> Event:
        """Return a finished step for a refused tool call. Raises `ProviderError` for all others.

        Groq validates its model's tool calls, and answers 400 for an invalid one.
        """
        error = error_in(body)
        if error.get("code") == "tool_use_failed":
            return StepFinished("tool-calls", None, (_refused_call(error, 0, names),))
        raise ProviderError(refusal_of(status, error))


WIRE = OpenAIChat()


def _declare(name: str, tool: ToolSpec) -> dict[str, Any]:
    facts = {"name": name, "description": tool.description, "parameters": dict(tool.schema)}
    return {"type": "function", "function": facts}


def _entries(message: Message, names: NameTable) -> Iterator[dict[str, Any]]:
    match message:
        case UserMessage(text, aside):
            # One message, because some hosts require alternating roles.
            yield {"role": "user", "content": f"{text}\n\n{aside}" if aside else text}
        case AssistantMessage(text, ()):
            yield {"role": "assistant", "content": text}
        case AssistantMessage(text, calls):
            entries = [
                {
                    "id": call.id,
                    "type": "function",
                    "function": {
                        "name": names.to_wire(call.name),
                        "arguments": dump(dict(call.input)).decode(),
                    },
                }
                for call in calls
            ]
            # null content is allowed only together with tool calls
            content = text if text.strip() else None
            yield {"role": "assistant", "content": content, "tool_calls": entries}
        case ToolResults(results):
            for result in results:
                yield {"role": "tool", "tool_call_id": result.call_id, "content": result.content}


class ChunkDecoder:
    def __init__(self, names: NameTable) -> None:
        self.finished = False
        self._names = names
        self._text = Halves()
        self._calls = CallCollector(names)
        self._reason: FinishReason | None = None
        self._usage: Usage | None = None

    def feed(self, event: ServerSentEvent) -> Iterator[Event]:
        if event.data.strip() == b"[DONE]":
            yield from self.end()
            return
        chunk = parse_event(event.data)
        # Groq's own error is in a chunk that may also have a finish reason.
        error = chunk.get("error") or (chunk.get("x_groq") or {}).get("error")
        if error or event.name == "error":
            yield from self._fail(error)
            return
        self._count(chunk)
        for choice in (chunk.get("choices") or [])[:1]:  # Azure sends chunks without choices
            yield from self._delta(choice.get("delta") or {})
            if choice.get("finish_reason"):
                self._reason = REASONS.get(choice["finish_reason"], "other")

    def text(self, data: bytes) -> str | None:
        chunk = object_in(data)
        if any(map(chunk.get, ("error", "usage", "x_groq"))):
            return None
        match chunk.get("choices"):
            case [{"delta": {"content": str(text)} as delta, **others}]:
                is_only = not any(map(delta.get, NOT_TEXT)) and not others.get("finish_reason")
                return text if is_only and is_storable(text) else None
        return None

    @property
    def has_half(self) -> bool:
        return bool(self._text.pending)

    def end(self) -> Iterator[Event]:
        """Yield the finished step.

        The finish reason is the terminal event, because some hosts send no `[DONE]` after it.
        """
        if self._reason is None:
            raise ProviderError("cut")
        self.finished = True
        calls = self._calls.finish(self._reason)
        reason = "tool-calls" if calls and self._reason in ("stop", "other") else self._reason
        yield StepFinished(reason, self._usage, calls)

    def _delta(self, delta: dict[str, Any]) -> Iterator[Event]:
        for text in (_content(delta.get("content")), delta.get("refusal")):
            if whole := self._text.join(text or ""):
                yield TextFragment(whole)
        if delta.get("reasoning") or delta.get("reasoning_content"):
            yield Progress()
        for call in delta.get("tool_calls") or []:
            function = call.get("function") or {}
            name, fragment = function.get("name") or "", function.get("arguments") or ""
            if isinstance(fragment, dict):  # some host sends the object instead of its JSON
                fragment = json.dumps(fragment, ensure_ascii=False)
            yield from self._calls.add(call.get("index"), call.get("id") or "", name, fragment)

    def _count(self, chunk: dict[str, Any]) -> None:
        usage = chunk.get("usage") or (chunk.get("x_groq") or {}).get("usage")
        if not usage:
            return
        details = usage.get("prompt_tokens_details") or {}
        prompt = count(usage.get("prompt_tokens"))
        self._usage = Usage(
            input=prompt,
            output=count(usage.get("completion_tokens")),
            cache_read=min(count(details.get("cached_tokens")), prompt),
        )

    def _fail(self, error: Any) -> Iterator[Event]:
        facts = error if isinstance(error, dict) else {"message": error}
        if facts.get("code") != "tool_use_failed":
            raise ProviderError(_fault(facts))
        self.finished = True
        calls = self._calls.finish("content-filter")  # marks the calls as cut, so they are not run
        refused_call = _refused_call(facts, len(calls), self._names)
        yield StepFinished("tool-calls", self._usage, (*calls, refused_call))


def _content(content: Any) -> str:
    """Return the text, which may be Mistral's list of typed pieces."""
    if isinstance(content, list):
        return "".join(piece.get("text") or "" for piece in content)
    return content or ""


def _fault(error: dict[str, Any]) -> Fault:
    for key in ("status_code", "code", "status"):
        if isinstance(error.get(key), int) and error[key] >= 400:
            return refusal_of(error[key], error)
    words = " ".join(str(error.get(key)) for key in ("type", "code", "message")).lower()
    named = next((fault for word, fault in FAULT_WORDS.items() if word in words), None)
    return fault_in_stream(error, named or "failed")


def _refused_call(error: dict[str, Any], key: int, names: NameTable) -> FinishedCall:
    """Return the call that the host refused, from the text that its model generated."""
    text = str(error.get("failed_generation") or "")
    try:
        attempt = json.loads(text)
        name, arguments = attempt["name"], json.dumps(attempt["arguments"])
    except (ValueError, TypeError, KeyError, RecursionError):
        return FinishedCall(key, "unknown", json.dumps({"text": make_storable(text)}), "refused")
    return FinishedCall(key, names.from_wire(str(name)), arguments, "refused")
