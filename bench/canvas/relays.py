"""A large canvas of widgets that pass values on, for the scenario `canvas`."""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

TEMPLATES = [Path(__file__).with_name("relay")]

WIDGETS = 100
CONNECTIONS = 300
CHAIN = 20  # the first widgets, each connected to the next one and to no other
HUB = 60  # the widget with the most connections
HUB_ENDS = 30  # on each of its sides
COLUMNS = 10


def canvas() -> dict[str, Any]:
    """The data of its record."""
    widgets = [_widget(number) for number in range(WIDGETS)]
    connections = [_connection(*pair) for pair in sorted(_pairs())]
    return {
        "title": "Large",
        "widgets": widgets,
        "io": {"version": 1, "connections": connections, "widgets": {}},
    }


def widget_id(number: int) -> str:
    return f"00000000-0000-4000-8000-{number:012}"


def _widget(number: int) -> dict[str, Any]:
    row, column = divmod(number, COLUMNS)
    place = {"x": column * 480, "y": row * 320, "width": 320, "height": 240}
    return {"id": widget_id(number), "templateHandle": "relay", **place}


def _pairs() -> set[tuple[int, int]]:
    """Which widget is connected to which later one, so that no circle closes."""
    dice = random.Random(WIDGETS)
    pairs = set(_fixed_pairs())
    while len(pairs) < CONNECTIONS:
        source, to = sorted(dice.sample(range(CHAIN, WIDGETS), 2))
        if HUB not in (source, to):
            pairs.add((source, to))
    return pairs


def _fixed_pairs() -> Iterator[tuple[int, int]]:
    yield from ((number, number + 1) for number in range(CHAIN - 1))
    for distance in range(1, HUB_ENDS + 1):
        yield HUB - distance, HUB
        yield HUB, HUB + distance


def _connection(source: int, to: int) -> dict[str, Any]:
    ends = {
        "from": {"widgetId": widget_id(source), "slotId": "out"},
        "to": {"widgetId": widget_id(to), "slotId": "in"},
    }
    return {"id": f"c_{source:03}_{to:03}", **ends, "createdAt": "2026-01-01T00:00:00.000Z"}
