"""One step of a turn: the model's events as chunks, then its tool calls with their results."""

from collections.abc import Generator, Iterator
from dataclasses import dataclass, field

from flask import Flask

from service.chat.calling import calls
from service.chat.calling.calls import NamedCall
from service.chat.calling.parallel import Chunks
from service.chat.stream import chunks
from service.chat.stream.chunks import Chunk
from service.chat.stream.parts import TextSince
from service.chat.tools.tool import ToolContext
from service.ids import new_id
from service.outbound.arrivals import Arrivals
from service.providers.events import (
    CallFragment,
    CallStarted,
    Event,
    FinishedCall,
    FinishReason,
    StepFinished,
    TextFragment,
    TextStarted,
)
from service.web.json_depth import Nesting

NAME_LIMIT = 128
WITHDRAWN = "The model withdrew this call."


# Chunks, and an `Arrivals` where the answer continues without a greenlet: see `stream_events`.
Answer = Generator[Chunk | Arrivals, None, None]


@dataclass
class Step:
    """The state of one step. `calls` maps a call's key to our id for it and its tool's name.

    `text` is the step's text in the run's assembly: the reader of the chunks must apply each one
    before it takes the next. A muted step neither sends nor keeps tool calls: its answer must be
    text.
    """

    number: int
    muted: bool
    text: TextSince
    calls: dict[int, tuple[str, str]] = field(default_factory=dict)
    finished: StepFinished | None = None
    result_count: int = 0  # of calls, including errors
    open_text: str | None = None  # the id of the text that the model is writing
    _nesting: dict[int, Nesting] = field(default_factory=dict)
    _texts: int = 0

    @property
    def is_visible(self) -> bool:
        """Whether the client has received any text or call of this step."""
        return bool(self.text or self.calls)

    @property
    def is_refused(self) -> bool:
        """Whether the host refused a call that its model made."""
        return self.finished is not None and self.finished.is_refused

    @property
    def goes_on(self) -> bool:
        """Whether another step follows: for results of calls, or because the model has paused."""
        is_paused = self.finished is not None and self.reason == "pause"
        return self.result_count > 0 or (is_paused and not self.muted)

    @property
    def reason(self) -> FinishReason:
        assert self.finished, "translated to its end"
        return self.finished.reason

    def translate(self, events: Iterator[Event | Arrivals]) -> Answer:
        """Yield the events as chunks. An open text is closed after the terminal event."""
        for event in events:
            match event:
                case TextFragment(text):  # nearly every event is one
                    if self.open_text is None:
                        self.open_text = self._next_text_id()
                        yield chunks.TextStart(self.open_text)
                    yield chunks.TextDelta(self.open_text, text)
                case TextStarted():
                    yield from self._end_text()
                case CallStarted(key, name) if not self.muted:
                    yield from self._end_text()
                    yield self._start_call(key, name)
                case CallFragment(key, fragment) if not self.muted:
                    if self._nesting[key].feed(fragment):
                        yield chunks.ToolInputDelta(self.calls[key][0], fragment)
                case StepFinished():
                    self.finished = event
                case Arrivals():
                    yield event
        yield from self._end_text()

    def close(self, text: str) -> Answer:
        """End the step with a text of our own."""
        yield from self.translate(iter([TextFragment(text)]))

    def run_calls(self, app: Flask, context: ToolContext) -> Chunks:
        """Run the finished calls. Each gets a result."""
        if self.muted or not self.finished:
            return
        finished = self.finished.calls
        whole = {call.key for call in finished}
        for key, (call_id, name) in self.calls.items():
            if key not in whole:
                yield chunks.ToolInputError(call_id, name, None, WITHDRAWN)
        self.result_count = len(finished)
        yield from calls.run(app, context, [self._with_wire_name(call) for call in finished])

    def _with_wire_name(self, call: FinishedCall) -> NamedCall:
        call_id, name = self.calls.get(call.key) or (new_id("call"), call.name[:NAME_LIMIT])
        return NamedCall(call_id, name, call)

    def _start_call(self, key: int, name: str) -> Chunk:
        # Our own id, because providers reuse their ids, or send empty ones or none.
        self.calls[key] = (new_id("call"), name[:NAME_LIMIT])
        self._nesting[key] = Nesting()
        return chunks.ToolInputStart(*self.calls[key])

    def _next_text_id(self) -> str:
        self._texts += 1
        return f"text-{self.number}-{self._texts}"

    def _end_text(self) -> Chunks:
        if self.open_text is not None:
            yield chunks.TextEnd(self.open_text)
            self.open_text = None
