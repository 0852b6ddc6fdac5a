"""Canvases for tests: widgets, connections between them, and their parts."""

from typing import Any


def widget(id: str, handle: str = "note", **values: Any) -> dict[str, Any]:
    place = {"x": 0, "y": 0, "width": 200, "height": 100}
    return {"id": id, "templateHandle": handle, **place, **values}


def connection(source: str, to: str, **values: Any) -> dict[str, Any]:
    """Between slots such as `a.text`."""
    ends = [dict(zip(("widgetId", "slotId"), end.split("."), strict=True)) for end in (source, to)]
    return {"from": ends[0], "to": ends[1], **values}
