"""One step of a turn: the model's events as chunks, then its tool calls with their results."""

from collections.abc import Generator, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from flask import Flask

from service.chat.stream import chunks
from service.chat.stream.chunks import Chunk
from service.chat.tools.run import InvalidInput, parse_input, read_arguments
from service.chat.tools.tool import ToolContext, Tools
from service.chat.turn.tool_call import carry_out
from service.ids import new_id
from service.providers.events import (
    CallFragment,
    CallStarted,
    Event,
    FinishedCall,
    FinishReason,
    StepFinished,
    TextFragment,
)
from service.web.json_values import Nesting

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
    """The state of one step. `calls` maps a call's key to our id for it and its tool's name.

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
    def is_visible(self) -> bool:
        """Whether the client has received any of its text or calls."""
        return bool(self.text or self.calls)

    @property
    def is_refused(self) -> bool:
        """Whether the host refused a call of its model."""
        return self.finished is not None and self.finished.is_refused

    @property
    def reason(self) -> FinishReason:
        assert self.finished, "translated to its end"
        return self.finished.reason

    def translate(self, events: Iterator[Event]) -> Chunks:
        """Events as chunks; an open text is closed behind the terminal event."""
        for event in events:
            match event:
                case TextFragment(text):  # nearly every event is one
                    if self._open_text is None:
                        self._open_text = self._next_text_id()
                        yield chunks.TextStart(self._open_text)
                    self.text.append(text)
                    yield chunks.TextDelta(self._open_text, text)
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

    def close(self, text: str) -> Chunks:
        """End with a text of our own."""
        yield from self.translate(iter([TextFragment(text)]))

    def run_calls(self, app: Flask, context: ToolContext) -> Chunks:
        """Run the finished calls, in the order in which the model made them."""
        if self.muted or not self.finished:
            return
        whole = {call.key for call in self.finished.calls}
        for key, (call_id, name) in self.calls.items():
            if key not in whole:
                yield chunks.ToolInputError(call_id, name, None, WITHDRAWN)
        for call in self.finished.calls:
            yield from self._run(app, context, call)

    def _run(self, app: Flask, context: ToolContext, call: FinishedCall) -> Chunks:
        tools: Tools = app.extensions["tools"]
        call_id, name = self.calls.get(call.key) or (new_id("call"), call.name[:NAME_LIMIT])
        public = _public_input(call.arguments)
        try:
            if call.fault:
                raise InvalidInput(FAULT_TEXTS[call.fault])
            tool = tools.get(name)
            if tool is None:
                raise InvalidInput("There is no tool of this name.")
            loaded = parse_input(tool, call.arguments)
        except InvalidInput as error:
            self.results += 1
            yield chunks.ToolInputError(call_id, name, public, str(error))
            return
        yield chunks.ToolInputAvailable(call_id, name, public)
        outcome = yield from carry_out(app, tool, replace(context, call_id=call_id), loaded)
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

    def _next_text_id(self) -> str:
        self._texts += 1
        return f"text-{self.number}-{self._texts}"

    def _end_text(self) -> Chunks:
        if self._open_text is not None:
            yield chunks.TextEnd(self._open_text)
            self._open_text = None


def _public_input(arguments: str) -> Any:
    """A call's input as clients see it: its value, or the beginning of its text if not JSON."""
    try:
        return read_arguments(arguments)
    except InvalidInput:
        return arguments if len(arguments) <= RAW_LIMIT else arguments[:RAW_LIMIT] + "…"
