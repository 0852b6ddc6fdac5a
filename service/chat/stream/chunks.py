"""UI message chunks: the strict schema of `ai` 5.0.200, which all versions 5, 6 and 7 accept.

Old clients reject a whole stream because of one unknown key, and all clients reject a null in an
optional key. So an absent field is left out.
Source: uiMessageChunkSchema in npm package ai@5.0.200.
"""

from dataclasses import dataclass, fields
from typing import Any, Literal, get_args


class Absent:
    """The value of an optional key that is not sent."""

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT = Absent()
OptionalMetadata = dict[str, Any] | Absent


@dataclass(frozen=True, slots=True)
class Start:
    messageId: str
    messageMetadata: OptionalMetadata = ABSENT
    type: Literal["start"] = "start"


@dataclass(frozen=True, slots=True)
class StartStep:
    type: Literal["start-step"] = "start-step"


@dataclass(frozen=True, slots=True)
class FinishStep:
    type: Literal["finish-step"] = "finish-step"


@dataclass(frozen=True, slots=True)
class TextStart:
    id: str
    type: Literal["text-start"] = "text-start"


@dataclass(slots=True)  # a frozen one takes four times as long to create
class TextDelta:
    id: str
    delta: str
    type: Literal["text-delta"] = "text-delta"


@dataclass(frozen=True, slots=True)
class TextEnd:
    id: str
    type: Literal["text-end"] = "text-end"


@dataclass(frozen=True, slots=True)
class ToolInputStart:
    toolCallId: str
    toolName: str
    type: Literal["tool-input-start"] = "tool-input-start"


@dataclass(frozen=True, slots=True)
class ToolInputDelta:
    toolCallId: str
    inputTextDelta: str
    type: Literal["tool-input-delta"] = "tool-input-delta"


@dataclass(frozen=True, slots=True)
class ToolInputAvailable:
    toolCallId: str
    toolName: str
    input: Any
    type: Literal["tool-input-available"] = "tool-input-available"


@dataclass(frozen=True, slots=True)
class ToolInputError:
    toolCallId: str
    toolName: str
    input: Any
    errorText: str
    type: Literal["tool-input-error"] = "tool-input-error"


@dataclass(frozen=True, slots=True)
class ToolOutputAvailable:
    toolCallId: str
    output: Any
    type: Literal["tool-output-available"] = "tool-output-available"


@dataclass(frozen=True, slots=True)
class ToolOutputError:
    toolCallId: str
    errorText: str
    type: Literal["tool-output-error"] = "tool-output-error"


@dataclass(frozen=True, slots=True)
class ApprovalPart:
    """A tool call that waits for its user's approval, or the decision about it.

    A later part of the same type and id replaces it in the message.
    """

    id: str
    data: dict[str, Any]
    type: Literal["data-approval"] = "data-approval"


@dataclass(frozen=True, slots=True)
class ConsentPart:
    """A tool call that waits for a grant from its user.

    A later part replaces it, as with an `ApprovalPart`.
    """

    id: str
    data: dict[str, Any]
    type: Literal["data-consent"] = "data-consent"


@dataclass(frozen=True, slots=True)
class Finish:
    messageMetadata: OptionalMetadata = ABSENT
    type: Literal["finish"] = "finish"


@dataclass(frozen=True, slots=True)
class MessageMetadata:
    messageMetadata: dict[str, Any]
    type: Literal["message-metadata"] = "message-metadata"


@dataclass(frozen=True, slots=True)
class Abort:
    type: Literal["abort"] = "abort"


@dataclass(frozen=True, slots=True)
class Error:
    errorText: str
    type: Literal["error"] = "error"


Chunk = (
    Start
    | StartStep
    | FinishStep
    | TextStart
    | TextDelta
    | TextEnd
    | ToolInputStart
    | ToolInputDelta
    | ToolInputAvailable
    | ToolInputError
    | ToolOutputAvailable
    | ToolOutputError
    | ApprovalPart
    | ConsentPart
    | Finish
    | MessageMetadata
    | Abort
    | Error
)

DataPart = ApprovalPart | ConsentPart

_KINDS: dict[str, Any] = {
    str(field.default): kind
    for kind in get_args(Chunk)
    for field in fields(kind)
    if field.name == "type"
}


def from_json(values: dict[str, Any]) -> Chunk:
    """Return the chunk that was sent as this JSON object."""
    chunk: Chunk = _KINDS[values["type"]](**values)
    return chunk


def data_part(kind: str, id: str, data: dict[str, Any]) -> DataPart:
    """Return the chunk of a stored part."""
    return ApprovalPart(id, data) if kind == "data-approval" else ConsentPart(id, data)
