"""Place the widgets of a canvas that have no place yet.

A widget gets the size of its template. Connected widgets are placed in columns, each one to the
right of all its sources. The others are placed in rows below. All of them are placed below the
widgets that already have a place.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from service.widgets.canvas_shape import FARTHEST, MOST_CONNECTIONS, MOST_WIDGETS
from service.widgets.templates import WidgetTemplates

COLUMN_GAP = 240  # CSS pixels, as all lengths here; room for slots beside widgets, and for lines
ROW_GAP = 40
ROW_WIDTH = 1200  # of widgets without a connection
USUAL_SIZE = (320, 240)  # for a missing template

Stored = dict[str, Any]


def place(widgets: list[Any], io: dict[str, Any], templates: WidgetTemplates) -> list[Any]:
    """Return the widgets with `x`, `y`, `width` and `height`. Malformed ones stay unchanged.

    If there are more than a canvas can have, all stay unchanged, because it could take seconds.
    """
    if len(widgets) > MOST_WIDGETS or len(_connections(io)) > MOST_CONNECTIONS:
        return widgets
    sized = [_with_size(one, templates) for one in widgets]
    new = [one for one in sized if _can_be_placed(one)]
    top = max((bottom + 2 * ROW_GAP for bottom in _bottoms(sized)), default=0)
    columns = _columns([one["id"] for one in new], io)
    places = dict(_place_in_columns(new, columns, top))
    below = max((places[one["id"]][1] + one["height"] + ROW_GAP for one in new
                 if one["id"] in places), default=top)  # fmt: skip
    places |= _place_in_rows([one for one in new if one["id"] not in places], below)
    return [one | _point(places[one["id"]]) if _can_be_placed(one) else one for one in sized]


def _with_size(widget: Any, templates: WidgetTemplates) -> Any:
    if not isinstance(widget, dict):
        return widget
    template = templates.get(str(widget.get("templateHandle")))
    width, height = template.size if template else USUAL_SIZE
    return {"width": width, "height": height} | widget


def _can_be_placed(widget: Any) -> bool:
    """Return whether a widget has no place, and has a valid id and size."""
    if not isinstance(widget, dict) or {"x", "y"} <= widget.keys():
        return False
    is_named = isinstance(widget.get("id"), str)
    return is_named and _is_distance(widget["width"]) and _is_distance(widget["height"])


def _is_distance(value: Any) -> bool:
    """Return whether a value is a number that fits on a canvas, and can safely be added."""
    return isinstance(value, int | float) and abs(value) <= FARTHEST


def _bottoms(widgets: Iterable[Any]) -> Iterator[float]:
    """Yield the lower edges of the widgets that have a place."""
    for one in widgets:
        if isinstance(one, dict) and _is_distance(one.get("y")) and _is_distance(one.get("height")):
            yield one["y"] + one["height"]


def _columns(ids: list[str], io: dict[str, Any]) -> dict[str, int]:
    """Return the length of the longest path to each widget that is connected to another one."""
    known = set(ids)
    arrows = {arrow for arrow in _arrows(io) if known.issuperset(arrow) and arrow[0] != arrow[1]}
    columns = {id: 0 for arrow in arrows for id in arrow}
    for _ in columns:  # also ends for a cycle, which canvas.check reports
        before = columns.copy()
        for source, target in arrows:
            columns[target] = max(columns[target], min(columns[source] + 1, len(columns)))
        if columns == before:
            break
    return columns


def _arrows(io: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for one in _connections(io):
        try:
            source, target = one["from"]["widgetId"], one["to"]["widgetId"]
        except (KeyError, TypeError):
            continue
        if isinstance(source, str) and isinstance(target, str):
            yield source, target


def _connections(io: dict[str, Any]) -> list[Any]:
    connections = io.get("connections")
    return connections if isinstance(connections, list) else []


def _place_in_columns(
    widgets: list[Stored], columns: dict[str, int], top: float
) -> Iterator[tuple[str, tuple[float, float]]]:
    x = 0.0
    for column in sorted(set(columns.values())):
        members = [one for one in widgets if columns.get(one["id"]) == column]
        y = top
        for one in members:
            yield one["id"], (x, y)
            y += one["height"] + ROW_GAP
        x += max(one["width"] for one in members) + COLUMN_GAP


def _place_in_rows(widgets: list[Stored], top: float) -> dict[str, tuple[float, float]]:
    places, x, y, bottom = {}, 0.0, top, top
    for one in widgets:
        if x and x + one["width"] > ROW_WIDTH:
            x, y = 0.0, bottom
        places[one["id"]] = (x, y)
        x += one["width"] + COLUMN_GAP
        bottom = max(bottom, y + one["height"] + ROW_GAP)
    return places


def _point(place: tuple[float, float]) -> dict[str, float]:
    return {"x": place[0], "y": place[1]}
