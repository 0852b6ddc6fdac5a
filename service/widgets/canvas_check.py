"""The tool with which the assistant checks a canvas before storing it.

Source: docs/widgets.md.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

from marshmallow import Schema, fields

from service.chat.tools.tool import Tool, ToolContext, tool
from service.widgets.canvas_shape import MOST_SHOWN, io_faults, widget_faults
from service.widgets.placing import place
from service.widgets.settings import setting_faults
from service.widgets.templates import WidgetTemplates
from service.widgets.wiring import Place, Wiring, connection_id

ADVICE = {
    "self": " Connect two widgets.",
    "type_mismatch": " Use slots whose types fit.",
    "duplicate": " Leave this one out.",
    "input_taken": " Leave out one of its connections, or add another widget.",
    "cycle": " Leave out one connection of the circle.",
    "too_many": " Leave out some.",
}


@dataclass(frozen=True)
class Problem:
    """A problem of a canvas. `path` names the widget or connection, as `io.connections.2`."""

    path: str
    code: str
    message: str


class CanvasParts(Schema):
    widgets = fields.List(
        fields.Raw(),
        load_default=list,
        metadata={
            "description": "{id, templateHandle, x, y, width, height, settings?} of each widget. "
            "Leave x and y out, and width and height, to have a new widget placed."
        },
    )
    io = fields.Dict(
        keys=fields.String(),
        load_default=dict,
        metadata={
            "description": "{version: 1, connections: [{id, from: {widgetId, slotId}, to: "
            "{widgetId, slotId}}]}: from an output of one widget to an input of another."
        },
    )


def canvas_check(templates: WidgetTemplates) -> Tool:
    """Return the tool `canvas.check`."""

    @tool("canvas.check", CanvasParts(), reads=True)
    def check_canvas(
        context: ToolContext, widgets: list[Any], io: dict[str, Any]
    ) -> dict[str, Any]:
        """Check the widgets and connections of a canvas, without storing them. Use it before you
        write a record of the collection canvases, whose columns widgets and io these are. The
        answer names every problem with its path; malformed values can't be stored, and
        connections with another problem are stored but do not work. If widgets came without a
        place, the answer has all widgets with theirs: store these. canvas.templates lists the
        templates and their slots."""
        placed = place(widgets, io, templates)
        found = find_problems(placed, io, templates)
        answer: dict[str, Any] = {
            "ok": not found,
            "problems": [asdict(problem) for problem in found[:MOST_SHOWN]],
        }
        if len(found) > MOST_SHOWN:
            answer["moreProblems"] = len(found) - MOST_SHOWN
        return answer if placed == widgets else {**answer, "widgets": placed}

    return check_canvas


def find_problems(
    widgets: list[Any], io: dict[str, Any], templates: WidgetTemplates
) -> list[Problem]:
    """Return all problems of a canvas. Connections are checked only if all is well-formed."""
    malformed = [
        *(Problem(_path("widgets", at), "malformed", text) for at, text in widget_faults(widgets)),
        *(Problem(_path("io", at), "malformed", text) for at, text in io_faults(io)),
    ]
    if malformed:
        return malformed
    return [
        *_unknown_templates(widgets, templates),
        *_wrong_settings(widgets, templates),
        *_broken(widgets, io, templates),
    ]


def _unknown_templates(widgets: list[Any], templates: WidgetTemplates) -> Iterator[Problem]:
    known = ", ".join(template.handle for template in templates)
    for number, widget in enumerate(widgets):
        if templates.get(handle := widget["templateHandle"]) is None:
            text = f"There is no template “{handle}”, only {known}."
            yield Problem(f"widgets.{number}.templateHandle", "unknown_template", text)


def _wrong_settings(widgets: list[Any], templates: WidgetTemplates) -> Iterator[Problem]:
    for number, widget in enumerate(widgets):
        template = templates.get(widget["templateHandle"])
        if template is None:
            continue
        for name, text in setting_faults(template.settings, widget.get("settings") or {}):
            yield Problem(f"widgets.{number}.settings.{name}", "wrong_setting", text)


def _broken(widgets: list[Any], io: dict[str, Any], templates: WidgetTemplates) -> list[Problem]:
    """Return the connections that don't work. Of two that exclude each other, the older works."""
    wiring = Wiring({one["id"]: _slots(one, templates) for one in widgets})
    found: dict[int, Problem] = {}
    entries = [_Entry.read(number, one) for number, one in enumerate(io.get("connections", ()))]
    for entry in sorted(entries, key=lambda entry: entry.age):
        if refusal := wiring.connect(entry.source, entry.to, entry.id):
            code, text = refusal
            text += _advice(code, entry, wiring)
            found[entry.number] = Problem(f"io.connections.{entry.number}", code, text)
    return [found[number] for number in sorted(found)]


def _advice(code: str, entry: "_Entry", wiring: Wiring) -> str:
    """Return the existing widgets or slots for a missing one, or how to solve another problem."""
    if code == "unknown_widget":
        return f" The widgets are {_list_names(wiring.slots)}."
    if code in ("unknown_slot", "wrong_direction"):
        return (
            f" {_slots_of(entry.source, 'output', wiring)} {_slots_of(entry.to, 'input', wiring)}"
        )
    return ADVICE.get(code, "")


def _slots_of(place: Place, direction: str, wiring: Wiring) -> str:
    slots = (slot for slot in wiring.slots.get(place.widget_id, ()) if slot.direction == direction)
    return f"The {direction}s of “{place.widget_id}” are {_list_names(slot.id for slot in slots)}."


def _list_names(names: Iterable[str]) -> str:
    listed = [f"“{name}”" for name in names]
    more = f" and {len(listed) - MOST_SHOWN} more" if len(listed) > MOST_SHOWN else ""
    return ", ".join(listed[:MOST_SHOWN]) + more if listed else "none"


@dataclass(frozen=True)
class _Entry:
    """A stored connection, and its number in the list."""

    number: int
    source: Place
    to: Place
    id: str
    age: tuple[str, ...]

    @classmethod
    def read(cls, number: int, stored: dict[str, Any]) -> "_Entry":
        source, to = (
            Place(stored[end]["widgetId"], stored[end]["slotId"]) for end in ("from", "to")
        )
        id = stored.get("id") or connection_id(source, to)
        text = json.dumps(stored, ensure_ascii=False, sort_keys=True)
        return cls(number, source, to, id, (stored.get("createdAt", ""), id, text))


def _slots(widget: dict[str, Any], templates: WidgetTemplates) -> tuple[Any, ...]:
    template = templates.get(widget["templateHandle"])
    return template.slots if template else ()


def _path(column: str, at: str) -> str:
    return f"{column}.{at}" if at else column
