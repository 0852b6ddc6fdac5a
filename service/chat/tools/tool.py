"""Tools: functions with a marshmallow schema, from which the model's JSON Schema is made."""

import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, Literal

from marshmallow import Schema, missing
from sqlalchemy.orm import Session

from service.app_keys import AppKey
from service.auth.users import Caller
from service.chat import journal
from service.chat.earlier_writes import EarlierWrites
from service.chat.question import NO_CHAT
from service.chat.tools.guard import LoopGuard
from service.chat.tools.requirements import Needs
from service.chat.tools.tool_records import ToolRecords
from service.name_suggestions import near_names
from service.providers.prompt import ToolSpec
from service.records.collection import Collections
from service.records.writes import Write
from service.web.json_schemas import json_schema

APP_TOOLS = AppKey["Tools"]("tools")

Door = Literal["chat", "mcp"]

NAME = re.compile(r"[\w.-]{1,128}")  # as stored in the journal
NAME_RULE = "a text of 1 to 128 letters, digits, '-', '_' and '.'"


@dataclass(frozen=True)
class ToolContext:
    """The caller and the turn of a tool call. Each tool runs in its own app context.

    `records` reads and writes records. `tool` is the name of the running tool. `fingerprint`
    identifies the call, `earlier` has the writes of earlier tries of the message. `call_id` is the
    tool call's own id, and `key` its `Idempotency-Key` if that is another one. `token` is the
    caller's bearer token as received. `door` is where the call came from, and `approval` is the
    decision that allowed it. `check_turn` ends a turn that another turn has overtaken; its argument
    tells whether the call may write. `lock_claim` locks the turn's claim in the transaction of a
    write. `free_unused` frees the credits that the turn holds beyond its cost so far.
    """

    caller: Caller
    collections: Collections
    turn_id: str
    chat_id: str
    guard: LoopGuard = field(default_factory=LoopGuard)
    user_message_id: str | None = None
    earlier: EarlierWrites = field(default_factory=EarlierWrites)
    fingerprint: str | None = None
    call_id: str = ""
    key: str = ""
    token: str = ""
    door: Door = "chat"
    approval: str | None = None
    tool: str = ""
    check_turn: Callable[[bool], None] = field(default=lambda _: None, repr=False)
    lock_claim: Callable[[Session], None] = field(default=lambda _: None, repr=False)
    free_unused: Callable[[], None] = field(default=lambda: None, repr=False)

    @property
    def is_in_chat(self) -> bool:
        """Whether a user can be asked, and sees chunks that show the progress."""
        return self.chat_id != NO_CHAT

    @property
    def records(self) -> ToolRecords:
        """The records, with the caller's rights. Writes through them can be undone."""
        note = journal.note(
            self.turn_id,
            self.chat_id,
            self.caller.subject,
            self.tool,
            self.user_message_id,
            self.fingerprint,
        )

        def hook(session: Session, written: Write) -> None:
            self.lock_claim(session)
            note(session, written)

        check = partial(self.check_turn, True)
        return ToolRecords(
            self.caller, self.collections, self.earlier, self.fingerprint, hook, check
        )


@dataclass(frozen=True)
class Tool:
    """`execute(context, **input)` returns a JSON value. A `ServiceError`'s text goes to the model.

    `reads` is true for a tool that changes nothing. If this depends on the input,
    `reads_if(**input)` decides it for one call. `needs(context, **input)` returns what a call needs
    before it is made; None means that no call needs anything. `execute` may also raise
    `GrantMissing`.
    """

    name: str
    description: str
    schema: Schema
    execute: Callable[..., Any]
    reads: bool
    needs: Callable[..., Needs] | None = None
    reads_if: Callable[..., bool] | None = None

    def is_read(self, tool_input: Mapping[str, Any]) -> bool:
        """Return whether a call with this input changes nothing."""
        return self.reads or (self.reads_if is not None and self.reads_if(**tool_input))

    @cached_property
    def spec(self) -> ToolSpec:
        return ToolSpec(self.name, self.description, json_schema(self.schema))


def tool(name: str, schema: Schema, *, reads: bool) -> Callable[[Callable[..., Any]], Tool]:
    """Make a tool from a function, whose docstring describes the tool to the model.

    Raises ValueError for a wrong name, if there is no docstring, or if the function's parameters
    don't match the schema.
    """
    if not isinstance(name, str) or not NAME.fullmatch(name):
        raise ValueError(f"tool {name!r:.80}: the name must be {NAME_RULE}")
    if not isinstance(schema, Schema):
        raise ValueError(f"tool {name}: the schema must be an instance of Schema, not {schema!r}")

    def make(execute: Callable[..., Any]) -> Tool:
        description = " ".join((execute.__doc__ or "").split())
        if not description:
            raise ValueError(f"tool {name} has no docstring to describe it to the model")
        if inspect.iscoroutinefunction(execute):
            raise ValueError(f"tool {name}: the function must be a plain one, not `async`")
        _check_parameters(name, schema, execute)
        return Tool(name, description, schema, execute, reads)

    return make


def _check_parameters(name: str, schema: Schema, execute: Callable[..., Any]) -> None:
    """Check that the function takes the fields of the schema. Raises ValueError.

    With a `post_load` the schema may pass anything, so there is no check.
    """
    if schema._hooks.get("post_load"):
        return
    takes = inspect.signature(execute)
    loaded = {str(one.attribute or one.name): one for one in schema.load_fields.values()}
    sure = [n for n, one in loaded.items() if one.required or one.load_default is not missing]
    try:
        takes.bind(None, **dict.fromkeys(loaded))
        takes.bind(None, **dict.fromkeys(sure))
    except TypeError as error:
        raise ValueError(f"tool {name}: the function and its schema differ: {error}") from None


class Tools:
    """Tools by name."""

    def __init__(self, tools: Iterable[Tool]) -> None:
        """Raises ValueError if two tools have the same name."""
        self._by_name: dict[str, Tool] = {}
        for item in tools:
            if item.name in self._by_name:
                raise ValueError(f"tool {item.name} is declared twice")
            self._by_name[item.name] = item
        self.specs = tuple(item.spec for item in self._by_name.values())

    def select(self, names: Iterable[str] | None) -> "Tools":
        """Return the tools of these names; None means all.

        Raises ValueError for an unknown name.
        """
        if names is None:
            return self
        unknown = sorted(set(names) - set(self._by_name))
        if unknown:
            raise ValueError(f"must name known tools, unlike {', '.join(unknown)}")
        return Tools(item for name, item in self._by_name.items() if name in set(names))

    def get(self, name: str) -> Tool | None:
        return self._by_name.get(name)

    def nearest(self, name: str) -> list[str]:
        """Return up to three names that are similar to this one."""
        return near_names(name, self._by_name)
