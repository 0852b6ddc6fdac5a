"""One step of a turn: the model's events as chunks, then its tool calls with their results."""

from collections.abc import Generator, Iterator
from dataclasses import dataclass, field
from typing import Any

from flask import Flask

from service.chat import chunks
from service.chat.chunks import Chunk
from service.chat.tools.run import InvalidInput, execute, parse_input, read_arguments
from service.chat.tools.tool import ToolContext, Tools
from service.ids import new_id
from service.json_values import Nesting
from service.providers.events import (
    CallFragment,
    CallStarted,
    Event,
    FinishedCall,
    StepFinished,
    Text,
)

NAME_LIMIT = 128
RAW_LIMIT = 2_000  # characters shown of an input that is not JSON
WITHDRAWN = "The model withdrew this call."
FAULT_TEXTS = {
    "cut": "The call broke off before its input was whole.",
    "refused": "The model host refused this call: its input does not fit the tool's schema.",
}

Chunks = Generator[Chunk, None, None]


@dataclass
class Step:
    """What one round trip has come to so far; `calls` maps a call's key to our id for it.

    A muted step neither sends nor keeps tool calls: its answer must be text.
    """

    number: int
    muted: bool
    text: list[str] = field(default_factory=list)
    calls: dict[int, tuple[str, str]] = field(default_factory=dict)
    finished: StepFinished | None = None
    results: int = 0  # results of calls, including errors
    _nesting: dict[int, Nesting] = field(default_factory=dict)
    _open_text: str | None = None
    _texts: int = 0

    @property
    def shown(self) -> bool:
        """Whether the client has seen anything of it."""
        return bool(self.text or self.calls)

    @property
    def refused(self) -> bool:
        return self.finished is not None and self.finished.refused

    def translate(self, events: Iterator[Event]) -> Chunks:
        """Events as chunks, until the terminal one, which closes what is open."""
        for event in events:
            match event:
                case Text(text):
                    yield from self.say(text)
                case CallStarted(key, name) if not self.muted:
                    yield from self._end_text()
                    yield self._start_call(key, name)
                case CallFragment(key, fragment) if not self.muted and self._nesting[key].feed(
                    fragment
                ):
                    yield chunks.ToolInputDelta(self.calls[key][0], fragment)
                case StepFinished():
                    self.finished = event
        yield from self._end_text()

    def say(self, text: str) -> Chunks:
        if self._open_text is None:
            self._texts += 1
            self._open_text = f"text-{self.number}-{self._texts}"
            yield chunks.TextStart(self._open_text)
        self.text.append(text)
        yield chunks.TextDelta(self._open_text, text)

    def close(self, text: str) -> Chunks:
        """End with a text of our own."""
        yield from self.say(text)
        yield from self._end_text()

    def run_calls(self, app: Flask, tools: Tools, context: ToolContext) -> Chunks:
        """Run the finished calls, in the order in which the model made them."""
        if self.muted or not self.finished:
            return
        whole = {call.key for call in self.finished.calls}
        for key, (call_id, name) in self.calls.items():
            if key not in whole:
                yield chunks.ToolInputError(call_id, name, None, WITHDRAWN)
        for call in self.finished.calls:
            yield from self._run(app, tools, context, call)

    def _run(self, app: Flask, tools: Tools, context: ToolContext, call: FinishedCall) -> Chunks:
        call_id, name = self.calls.get(call.key) or (new_id("call"), call.name[:NAME_LIMIT])
        given = _shown(call.arguments)
        try:
            if call.fault:
                raise InvalidInput(FAULT_TEXTS[call.fault])
            tool = tools.get(name)
            if tool is None:
                raise InvalidInput("There is no tool of this name.")
            loaded = parse_input(tool, call.arguments)
        except InvalidInput as error:
            self.results += 1
            yield chunks.ToolInputError(call_id, name, given, str(error))
            return
        yield chunks.ToolInputAvailable(call_id, name, given)
        outcome = execute(app, tool, context, loaded)
        self.results += 1
        if outcome.error is not None:
            yield chunks.ToolOutputError(call_id, outcome.error)
        else:
            yield chunks.ToolOutputAvailable(call_id, outcome.output)

    def _start_call(self, key: int, name: str) -> Chunk:
        # Our own id: providers reuse theirs, send empty ones, or none.
        self.calls[key] = (new_id("call"), name[:NAME_LIMIT])
        self._nesting[key] = Nesting()
        return chunks.ToolInputStart(*self.calls[key])

    def _end_text(self) -> Chunks:
        if self._open_text is not None:
            yield chunks.TextEnd(self._open_text)
            self._open_text = None


def _shown(arguments: str) -> Any:
    """A call's input as clients see it: its value, or the beginning of its text if not JSON."""
    try:
        return read_arguments(arguments)
    except InvalidInput:
        return arguments if len(arguments) <= RAW_LIMIT else arguments[:RAW_LIMIT] + "…"
