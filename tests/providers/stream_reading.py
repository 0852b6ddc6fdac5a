"""Streams read piece by piece, and what they come to in a form that tables can state."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hypothesis import settings

from service.providers.events import (
    CallFragment,
    CallStarted,
    Event,
    Progress,
    ProviderError,
    StepFinished,
    TextFragment,
    Usage,
)
from service.providers.names import NameTable
from service.providers.provider import Decoder, Wire
from service.providers.sse import EventReader
from service.providers.stream import decode
from service.providers.wires import anthropic_messages, openai_chat
from tests.depth import depth

STREAMS = Path(__file__).parent / "streams"
NAMES = sorted(path.stem for path in STREAMS.glob("*.sse"))
TOOLS = ("weather.read", "notes.add", "clock.now")
WHOLE = 1 << 20
SIZES = (*range(1, 65), 97, 251, 1009, WHOLE)  # bytes of a piece
LINE_ENDS = (b"\n", b"\r\n")

A = anthropic_messages.WIRE
BC = openai_chat.WIRE


def repeatable(examples: int) -> Any:
    """Settings of a property test with so many examples at depth 1."""
    return settings(max_examples=depth(examples))


@dataclass(frozen=True)
class Answer:
    """`calls` are (name, arguments, fault); `progress` counts the signs of unseen work."""

    text: str = ""
    calls: tuple[tuple[str, str, str | None], ...] = ()
    usage: Usage | None = None
    reason: str = ""
    progress: int = 0


def wire_of(name: str) -> Wire:
    return A if name.startswith("a-") else BC


def stream_bytes(name: str, line_end: bytes = b"\n") -> bytes:
    return (STREAMS / f"{name}.sse").read_bytes().replace(b"\n", line_end)


def pieces(data: bytes, size: int) -> Iterator[bytes]:
    return (data[start : start + size] for start in range(0, len(data), size))


def read(data: bytes, decoder: Decoder, size: int = WHOLE) -> Iterator[Event]:
    parts = pieces(data, size)
    return decode(lambda: next(parts, b""), decoder, EventReader(), lambda: None)


def decoder_of(wire: Wire) -> Decoder:
    return wire.decoder(NameTable(TOOLS))


def events_of(data: bytes, wire: Wire, size: int = WHOLE) -> list[Event]:
    return list(read(data, decoder_of(wire), size))


def answer_of(events: list[Event]) -> Answer:
    finished = [event for event in events if isinstance(event, StepFinished)]
    assert finished == events[-1:], "the terminal event comes once, and last"
    return Answer(
        "".join(event.text for event in events if isinstance(event, TextFragment)),
        tuple((call.name, call.arguments, call.fault) for call in finished[0].calls),
        finished[0].usage,
        finished[0].reason,
        sum(isinstance(event, Progress) for event in events),
    )


def ending(data: bytes, decoder: Decoder) -> str:
    """`finished`, or the fault that is raised; any other exception goes through."""
    try:
        events = list(read(data, decoder))
    except ProviderError as error:
        return error.fault
    assert isinstance(events[-1], StepFinished)
    return "finished"


def streamed_calls(events: list[Event]) -> dict[int, tuple[str, str]]:
    """Each call as a reader of the stream saw it grow: its name and its fragments."""
    calls: dict[int, tuple[str, str]] = {}
    for event in events:
        match event:
            case CallStarted(key, name):
                assert key not in calls
                calls[key] = (name, "")
            case CallFragment(key, fragment):
                assert fragment
                calls[key] = (calls[key][0], calls[key][1] + fragment)
    return calls


def payloads(data: bytes) -> Iterator[tuple[int, dict]]:
    """The JSON object of each `data:` line, with the offset just behind it."""
    for line in re.finditer(rb"^data: *(\{.*\})\s*$", data, re.MULTILINE):
        yield line.end(1), json.loads(line[1])


def terminal_end(data: bytes, wire: Wire) -> int | None:
    """The offset at which the stream's terminal event is whole, or None if it has none."""
    for end, payload in payloads(data):
        if wire is A and payload.get("type") == "message_stop":
            return end
        choices, error = payload.get("choices") or [{}], payload.get("error")
        refused = isinstance(error, dict) and error.get("code") == "tool_use_failed"
        if wire is BC and (choices[0].get("finish_reason") or refused):
            return end
    return None
