"""The span of a round trip to a model, in OpenTelemetry's conventions for generative AI."""

import time
from collections.abc import Generator, Iterator
from contextlib import closing
from typing import Any

from service.generation.round_trip import RoundTrip
from service.observing import spans
from service.observing.spans import Span
from service.outbound.arrivals import Arrivals
from service.providers.events import (
    VISIBLE,
    Event,
    FinishedCall,
    ProviderError,
    StepFinished,
)
from service.providers.prompt import AssistantMessage, Message, ToolResults, UserMessage
from service.providers.provider import Provider

NAMES = {"A": "anthropic", "B": "openai"}
GROQ = "https://api.groq.com/"
COMPATIBLE = "openai_compatible"  # any other host of the same wire


def trace(
    trip: RoundTrip[object], events: Generator[Event | Arrivals]
) -> Iterator[Event | Arrivals]:
    """Yield the events, and record a span of them. Raises the errors that `events` raises."""
    model, began, is_timed = trip.model, time.monotonic(), False
    name = f"chat {model.upstream_name}"
    with closing(events), spans.start(name, "client", current=False) as span:
        _describe(span, trip)
        calls: tuple[FinishedCall, ...] = ()
        try:
            for event in events:
                if not is_timed and isinstance(event, VISIBLE):
                    is_timed = True
                    waited = time.monotonic() - began
                    span.set(gen_ai__response__time_to_first_chunk=waited)
                elif isinstance(event, StepFinished):
                    calls = event.calls
                    span.set(gen_ai__response__finish_reasons=[event.reason])
                yield event
        except ProviderError as error:
            span.fail(error.fault)
            raise
        finally:
            _conclude(span, trip, calls)


def _describe(span: Span, trip: RoundTrip[object]) -> None:
    model, prompt = trip.model, trip.prompt
    span.set(gen_ai__operation__name="chat", gen_ai__provider__name=_name(model.provider))
    span.set(gen_ai__request__model=model.upstream_name, app__model=model.id)
    span.set(gen_ai__request__stream=True, gen_ai__request__max_tokens=prompt.max_output_tokens)
    system = [{"type": "text", "content": prompt.system}]
    span.content(
        gen_ai__system_instructions=lambda: system,
        gen_ai__input__messages=lambda: [_message(one) for one in prompt.messages],
    )


def _conclude(span: Span, trip: RoundTrip[object], calls: tuple[FinishedCall, ...]) -> None:
    if trip.accepted:
        used = trip.usage
        span.set(gen_ai__usage__input_tokens=used.input, gen_ai__usage__output_tokens=used.output)
        span.set(gen_ai__usage__cache_read__input_tokens=used.cache_read)
        span.set(gen_ai__usage__cache_creation__input_tokens=used.cache_write)
        span.set(app__usage__estimated=trip.is_estimated)
    parts: list[dict[str, Any]] = [{"type": "text", "content": str(trip.text)}]
    parts += [{"type": "tool_call", "name": one.name, "arguments": one.arguments} for one in calls]
    span.content(gen_ai__output__messages=lambda: [{"role": "assistant", "parts": parts}])


def _name(provider: Provider) -> str:
    is_groq = f"{provider.base_url}/".startswith(GROQ)
    return NAMES.get(provider.kind) or ("groq" if is_groq else COMPATIBLE)


def _message(message: Message) -> dict[str, Any]:
    """Return a message in the form of the conventions."""
    match message:
        case UserMessage(text):
            return {"role": "user", "parts": [{"type": "text", "content": text}]}
        case AssistantMessage(text, calls):
            parts: list[dict[str, Any]] = [{"type": "text", "content": text}] if text else []
            for call in calls:
                made = {"id": call.id, "name": call.name, "arguments": dict(call.input)}
                parts.append({"type": "tool_call", **made})
            return {"role": "assistant", "parts": parts}
        case ToolResults(results):
            answers = [(one.call_id, one.content) for one in results]
            responses = [{"type": "tool_call_response", "id": i, "response": c} for i, c in answers]
            return {"role": "tool", "parts": responses}
