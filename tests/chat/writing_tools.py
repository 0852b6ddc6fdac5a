"""A tool of an app that writes more than once, and answers something of its own."""

from typing import Any

from marshmallow import Schema, fields

from service.chat.tools.tool import ToolContext, tool


class Titles(Schema):
    titles = fields.List(fields.String(), required=True)


@tool("test.note-down", Titles(), reads=False)
def note_down(context: ToolContext, titles: list[str]) -> dict[str, Any]:
    """Write a note for each title, mark them, and delete the last one."""
    made = [context.records.create("notes", {"title": title}) for title in titles]
    for note in made:
        context.records.update("notes", note["recordId"], {"text": "marked"})
    context.records.delete("notes", made[-1]["recordId"])
    return {"kept": len(made) - 1}


@tool("test.copy-down", Schema(), reads=False)
def copy_down(context: ToolContext) -> dict[str, Any]:
    """Make a task of the first note that has none."""
    notes, tasks = (context.records.find(name)["records"] for name in ("notes", "tasks"))
    done = [task["data"]["title"] for task in tasks]
    titles = sorted(note["data"]["title"] for note in notes)
    left = [title for title in titles if title not in done]
    return {"made": [context.records.create("tasks", {"title": one})["data"] for one in left[:1]]}


@tool("test.hang-up", Schema(), reads=False)
def hang_up(context: ToolContext) -> dict[str, Any]:
    """Make a canvas of one widget, whose settings have a pair of values."""
    place = {"x": 0, "y": 0, "width": 1, "height": 1}
    widget = {"id": "w", "templateHandle": "t", **place, "settings": {"range": (1, 2)}}
    return context.records.create("canvases", {"title": "a", "widgets": [widget]})


@tool("test.break-down", Schema(), reads=False)
def break_down(context: ToolContext) -> None:
    """Write a note, and then fail by a mistake in the code."""
    note = context.records.create("notes", {"title": "a"})
    note["data"]["text"]


TOOLS = (note_down, copy_down, hang_up, break_down)
