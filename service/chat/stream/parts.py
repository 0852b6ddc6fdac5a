"""The parts of an assistant message, assembled from its chunks.

The stored parts equal the parts of an `ai` 5.0.200 client that has read the stream, because both
follow the same rules. Source: processUIMessageStream in npm package ai@5.0.200.
"""

from collections.abc import Iterator
from typing import Any

from service.chat.stream import chunks
from service.chat.stream.chunks import Chunk
from service.generation.arriving_text import ArrivingText

INTERRUPTED = "interrupted"
ASKED, EXPIRED = "asked", "expired"  # of a part that waits, and of one that waited in vain


class Assembly:
    """A message in progress. `parts` are its parts, from the chunks that were applied."""

    __slots__ = ("_arriving", "_calls", "_data", "_in_step", "_texts", "parts")

    def __init__(self) -> None:
        self.parts: list[dict[str, Any]] = []
        self._texts: dict[str, dict[str, Any]] = {}
        self._arriving: dict[str, ArrivingText] = {}
        self._calls: dict[str, dict[str, Any]] = {}
        self._data: dict[tuple[str, str], dict[str, Any]] = {}
        self._in_step = False

    @property
    def content(self) -> str:
        """The texts of the text parts, joined by blank lines."""
        texts = (part["text"] for part in self.parts if part["type"] == "text")
        return "\n\n".join(text for text in texts if text)

    @property
    def is_worth_keeping(self) -> bool:
        """Whether there is any text or tool result, except results from `closing`.

        White space does not count as text, because nobody sees it.
        """
        results = (part["state"].startswith("output-") for part in self._calls.values())
        return any(results) or not self.text_since(0).is_blank

    def open_text(self, text_id: str) -> ArrivingText:
        """Return the text of an open part so far."""
        return self._arriving[text_id]

    def text_since(self, first: int) -> "TextSince":
        """Return the text of the parts from this number on, including later parts."""
        return TextSince(self, first)

    def pieces_since(self, first: int) -> Iterator[str]:
        """Yield the texts of these parts. An open text is not in its part yet."""
        arriving = {id(part): self._arriving[text_id] for text_id, part in self._texts.items()}
        for part in self.parts[first:]:
            if part["type"] == "text":
                yield str(arriving.get(id(part), part["text"]))

    def apply(self, chunk: Chunk) -> None:
        if isinstance(chunk, chunks.TextDelta):  # nearly every chunk is one
            self._arriving[chunk.id].append(chunk.delta)
            return
        match chunk:
            case chunks.StartStep():
                self._in_step = True
                self.parts.append({"type": "step-start"})
            case chunks.FinishStep():
                self._in_step = False
            case chunks.TextStart(id):
                self._texts[id] = {"type": "text", "text": "", "state": "streaming"}
                self._arriving[id] = ArrivingText()
                self.parts.append(self._texts[id])
            case chunks.TextEnd(id):
                text = str(self._arriving.pop(id))
                self._texts.pop(id).update(text=text, state="done")
            case chunks.ToolInputStart(call_id, name):
                self._open_call(call_id, name, state="input-streaming")
            case chunks.ToolInputAvailable(call_id, name, value):
                self._open_call(call_id, name, state="input-available", input=value)
            case chunks.ToolInputError(call_id, name, raw, text):
                self._open_call(call_id, name, state="output-error", rawInput=raw, errorText=text)
            case chunks.ToolOutputAvailable(call_id, output):
                self._calls[call_id].update(state="output-available", output=output)
            case chunks.ToolOutputError(call_id, text):
                self._calls[call_id].update(state="output-error", errorText=text)
            case chunks.ApprovalPart() | chunks.ConsentPart():
                self._set_data(chunk)

    def closing(self) -> Iterator[Chunk]:
        """Yield the chunks that close open parts; they are sent before `abort` or `error`."""
        yield from [chunks.TextEnd(id) for id in self._texts]
        for (kind, id), part in list(self._data.items()):
            if part["data"].get("state") == ASKED:
                yield chunks.data_part(kind, id, {**part["data"], "state": EXPIRED})
        for call_id, part in list(self._calls.items()):
            name = part["type"].removeprefix("tool-")
            if part["state"] == "input-streaming":
                yield chunks.ToolInputError(call_id, name, None, INTERRUPTED)
            elif part["state"] == "input-available":
                yield chunks.ToolOutputError(call_id, INTERRUPTED)
        if self._in_step:
            yield chunks.FinishStep()

    def _set_data(self, chunk: chunks.DataPart) -> None:
        key = (chunk.type, chunk.id)
        if key not in self._data:
            self._data[key] = {"type": chunk.type, "id": chunk.id}
            self.parts.append(self._data[key])
        self._data[key]["data"] = chunk.data

    def _open_call(self, call_id: str, name: str, **values: Any) -> None:
        part = self._calls.get(call_id)
        if part is None:
            part = self._calls[call_id] = {"type": f"tool-{name}", "toolCallId": call_id}
            self.parts.append(part)
        part.update(values)


class TextSince:
    """The text of an assembly from one of its parts on. Only the assembly stores it."""

    __slots__ = ("_assembly", "_first")

    def __init__(self, assembly: Assembly, first: int) -> None:
        self._assembly, self._first = assembly, first

    def __bool__(self) -> bool:
        return any(self._assembly.pieces_since(self._first))

    def __str__(self) -> str:
        return "".join(self._assembly.pieces_since(self._first))

    @property
    def is_blank(self) -> bool:
        """Whether there is nothing to see: no text, or only white space."""
        pieces = self._assembly.pieces_since(self._first)
        return all(not piece or piece.isspace() for piece in pieces)
