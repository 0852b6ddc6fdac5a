"""What one simulated user has observed: every turn, call and write, with each of its answers."""

from dataclasses import dataclass, field
from typing import Any

# How an attempt at a turn has ended for its client. The first three are the stream's own endings;
# `cut` is a connection that broke, `left` one that the client closed, `refused` a status.
ENDINGS = ("finish", "abort", "error", "cut", "left", "refused")


@dataclass
class Attempt:
    """One request for a turn. `assistant` is its `X-Asst-Id`, and `started` what `start` said."""

    status: int = 0
    ending: str = "cut"
    assistant: str = ""
    started: str = ""
    text: str = ""
    endings: int = 0  # chunks that end a stream
    error: str = ""
    tool_error: str = ""  # of a call that failed
    will_end: bool = False  # refused for a moment only


@dataclass
class Question:
    """A user message with the attempts to get it answered.

    `known` are the ids of the chat's messages that were there before it replaced any.
    """

    chat: str
    id: str
    content: str
    note: str = ""
    replaces: str = ""
    known: frozenset[str] = frozenset()
    attempts: list[Attempt] = field(default_factory=list)
    again: bool = False  # asked for another answer

    @property
    def finished(self) -> list[Attempt]:
        return [one for one in self.attempts if one.ending == "finish"]


@dataclass
class Call:
    """A paid call with an idempotency key: statuses and bodies, in order. 0 is a broken one."""

    key: str
    query: str
    answers: list[tuple[int, Any]] = field(default_factory=list)

    @property
    def accepted(self) -> list[Any]:
        return [body for status, body in self.answers if status == 200]

    @property
    def is_unknown(self) -> bool:
        return any(status == 409 and body.get("outcome") for status, body in self.answers)


@dataclass
class Note:
    """A note of the user's own, as it was last acknowledged; `state` is absent until then."""

    title: str
    record: dict[str, Any] | None = None
    is_deleted: bool = False
    is_certain: bool = True  # False while the last write of it was not acknowledged


@dataclass
class Observations:
    """All of it. `odd` are answers that no client should get, `stuck` what was never answered."""

    subject: str
    chats: list[str] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    odd: list[str] = field(default_factory=list)
    stuck: list[str] = field(default_factory=list)
    foreign: list[tuple[str, str]] = field(default_factory=list)  # owners that were seen, and where
    probes: list[int] = field(default_factory=list)  # statuses for what belongs to others
    slow: list[float] = field(default_factory=list)
    requests: int = 0
