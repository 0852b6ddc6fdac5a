"""Reads and a write that wait until a test, or another read, lets them go on."""

from dataclasses import dataclass, field
from typing import Any

from gevent.event import Event
from marshmallow import Schema, fields

from service.chat.tools.tool import ToolContext, tool
from service.observing import attribution


@dataclass
class Gate:
    """What the reads of a test have done; `doors` has an event for each name."""

    doors: dict[str, Event] = field(default_factory=dict)
    entered: list[str] = field(default_factory=list)
    inside: int = 0
    most: int = 0

    def door(self, name: str) -> Event:
        return self.doors.setdefault(name, Event())

    def wait(self, name: str, behind: str) -> None:
        self.entered.append(name)
        self.inside += 1
        self.most = max(self.most, self.inside)
        try:
            self.door(behind).wait()
        finally:
            self.inside -= 1


gate = Gate()


class Wait(Schema):
    name = fields.String(required=True)
    behind = fields.String(required=True)


@tool("test.wait", Wait(), reads=True)
def wait(context: ToolContext, name: str, behind: str) -> Any:
    """Open the door of this name, and wait behind another."""
    gate.door(name).set()
    gate.wait(name, behind)
    return {"name": name, "turn": attribution.current_facts().get("turn_id")}


@tool("test.wait-and-write", Wait(), reads=False)
def wait_and_write(context: ToolContext, name: str, behind: str) -> Any:
    """Wait behind a door, then write a note."""
    gate.wait(name, behind)
    return context.records.create("notes", {"title": name})


TOOLS = (wait, wait_and_write)
